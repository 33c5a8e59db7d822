/** Power over the last hours, kept as means of short steps so that a long open page stays light. */

import { get } from "./api.js";

const STEP = 20_000;
const KEEP = 24 * 3_600_000;

export class History {
  /** @type {Map<string, {at: number, watts: number, count: number, last: number}[]>} points of each device, oldest first */
  series = new Map();
  #asked = false;

  /** Adds a device's last reading. @param {import("./types.js").Device|undefined} device */
  take(device) {
    const watts = device?.reading?.powerWatts;
    const at = Date.parse(device?.reading?.at ?? "");
    if (typeof watts === "number" && Number.isFinite(watts) && !Number.isNaN(at)) this.#add(device.id, at, watts);
  }

  #add(id, at, watts) {
    if (!this.series.has(id)) this.series.set(id, []);
    const points = this.series.get(id);
    const last = points[points.length - 1];
    if (last && at <= last.last) return;
    if (last && Math.floor(at / STEP) === Math.floor(last.at / STEP)) {
      last.watts += (watts - last.watts) / (last.count += 1);
      last.last = at;
      return;
    }
    points.push({ at, watts, count: 1, last: at });
    while (points[0].at < at - KEEP) points.shift();
  }

  /** Fetches what was before the page was opened, once; a hub that keeps none is fine. */
  async load() {
    if (this.#asked) return;
    this.#asked = true;
    try {
      const answer = await get("history?hours=24");
      for (const { deviceID, points } of answer?.series ?? []) {
        const live = this.series.get(deviceID) ?? [];
        this.series.delete(deviceID);
        for (const [at, watts] of points) {
          if (typeof watts === "number") this.#add(deviceID, typeof at === "number" ? at * 1000 : Date.parse(at), watts);
        }
        for (const point of live) this.#add(deviceID, point.last, point.watts);
      }
    } catch {
      // The chart then begins when the page was opened.
    }
  }
}
