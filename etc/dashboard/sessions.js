/** Load events grouped to sessions, and what today came to. */

import { get } from "./api.js";
import { byID, h } from "./dom.js";
import { energy, money, moment, number, percent, UNKNOWN } from "./format.js";
import { dayStart } from "./time.js";

const SHOWN = 12;

/**
 * Sessions from events in time order, the newest first. Energy is the highest counter seen; null when
 * no event of the session had one (heating has none).
 * @param {import("./types.js").LoadEvent[]} events
 */
export function sessionsOf(events) {
  const sessions = new Map();
  for (const event of events) {
    const id = event.session?.id ?? event.id ?? event.timestamp;
    const at = Date.parse(event.timestamp);
    const found = sessions.get(id) ?? {
      id, deviceID: event.deviceID ?? event.device?.id, name: event.device?.name, begin: at, last: at, end: null,
      wattHours: null, samples: [], guided: 0, told: 0, cost: null, currency: undefined, exported: false, hvac: false,
    };
    found.last = at;
    if (event.session?.state === "end") found.end = at;
    const wattHours = event.measurement?.energyWattHours;
    if (typeof wattHours === "number") {
      found.wattHours = Math.max(found.wattHours ?? 0, wattHours);
      found.samples.push([at, wattHours]);
    }
    if (typeof event.measurement?.stage === "number") found.hvac = true;
    if (event.measurement?.direction === "exported") found.exported = true;
    const followed = event.session?.guidanceState?.wasFollowingGuidance;
    if (typeof followed === "boolean") {
      found.told += 1;
      found.guided += followed ? 1 : 0;
    }
    const cost = event.session?.cost ?? event.cost;
    if (typeof cost === "number") {
      found.cost = cost;
      found.currency = event.session?.currency ?? event.currency;
    }
    sessions.set(id, found);
  }
  return [...sessions.values()].sort((a, b) => b.begin - a.begin);
}

/** Energy of a session from an instant on; what was counted before it, by the last sample before, is taken off. */
export function energySince(session, from) {
  if (session.wattHours === null) return null;
  const before = session.samples.filter(([at]) => at < from).pop();
  return Math.max(0, session.wattHours - (before ? before[1] : 0));
}

/** How much of a session followed the guidance. */
function followed(session) {
  if (!session.told) return UNKNOWN;
  if (session.guided === session.told) return "Yes";
  return session.guided === 0 ? "No" : `Partly (${percent((100 * session.guided) / session.told)})`;
}

export class Sessions {
  #store;
  /** What the hub worked out for each session: cost by the prices in force at each moment. */
  #costs = new Map();
  #asking = 0;

  /** @param {import("./store.js").Store} store */
  constructor(store) {
    this.#store = store;
    store.subscribe(["events", "venue"], () => {
      this.draw();
      this.#askForCosts();
    });
  }

  /** Asks for the hub's own summaries, a moment after the last of several events. */
  #askForCosts() {
    clearTimeout(this.#asking);
    this.#asking = window.setTimeout(async () => {
      try {
        const { sessions } = await get("sessions?limit=200");
        this.#costs = new Map(sessions.map((session) => [String(session.id).toLowerCase(), session.cost]));
        this.draw();
      } catch {
        // The table stands without costs; the next event asks again.
      }
    }, 800);
  }

  draw() {
    const store = this.#store;
    const ids = new Set(store.venueDevices.map((d) => d.id));
    const sessions = sessionsOf(store.events.filter((e) => !e.deviceID || ids.has(e.deviceID) || !store.devices.has(e.deviceID)));
    for (const session of sessions) session.cost ??= this.#costs.get(String(session.id).toLowerCase()) ?? null;
    byID("session-table").hidden = !sessions.length;
    byID("session-empty").hidden = sessions.length > 0 || !store.loaded;
    byID("session-rows").replaceChildren(...sessions.slice(0, SHOWN).map((session) => this.#row(session)));
    this.#today(sessions);
  }

  #name(session) {
    return this.#store.devices.get(session.deviceID)?.name || session.name || session.deviceID || "Unknown device";
  }

  #row(session) {
    const { zone, currency } = this.#store;
    const now = this.#store.clock.now();
    const cell = (label, text) => h("td", { "data-label": label }, text);
    return h("tr", {},
      h("th", { scope: "row" }, h("span", { class: "cut", title: this.#name(session) }, this.#name(session))),
      cell("Begin", moment(session.begin, zone, now)),
      cell("End", session.end === null ? "running" : moment(session.end, zone, now)),
      cell("Energy", session.wattHours === null ? UNKNOWN : `${session.exported ? "−" : ""}${energy(session.wattHours)}`),
      cell("Followed guidance", followed(session)),
      cell("Cost", session.cost === null ? UNKNOWN : money(session.cost, session.currency ?? currency)));
  }

  /** Totals of the venue's day. */
  #today(sessions) {
    const { zone, currency } = this.#store;
    const midnight = dayStart(this.#store.clock.now(), zone);
    const today = sessions.filter((x) => x.last >= midnight && !x.exported);
    const counted = today.filter((x) => x.wattHours !== null);
    const wattHours = counted.length ? counted.reduce((sum, x) => sum + energySince(x, midnight), 0) : null;
    const guided = counted.filter((x) => x.told).reduce((sum, x) => sum + (energySince(x, midnight) * x.guided) / x.told, 0);
    const costed = today.filter((x) => x.cost !== null);
    const fact = (label, text) => h("div", { class: "fact" }, h("dt", {}, label), h("dd", {}, text));
    byID("today").replaceChildren(
      fact("Moved load today", energy(wattHours)),
      fact("In guided hours", wattHours ? percent((100 * guided) / wattHours) : UNKNOWN),
      fact("Sessions", number(today.length)),
      ...(costed.length ? [fact("Cost", money(costed.reduce((sum, x) => sum + x.cost, 0), currency))] : []));
  }
}
