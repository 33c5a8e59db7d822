/** The live picture of the house: what feeds it on one side, what uses it on the other, lines as thick as the power. */

import { h, icon, onWidth, s, setText } from "./dom.js";
import { power, UNKNOWN, words } from "./format.js";
import { colours, partIcon, partName } from "./palette.js";
import { nameOf, partOf } from "./store.js";

/** Below this a line counts as still. */
const STILL_WATTS = 15;
/** Known loads may pass the total by this much, since meters are not read at the same instant. */
const SKEW_WATTS = 150;

/** The sum, or null when one of the values is unknown or there is none. */
function total(values) {
  return values.length && values.every((v) => v !== null) ? values.reduce((a, b) => a + b, 0) : null;
}

/**
 * The balance of the house. Grid and battery: import and charging are positive. Solar counts as production
 * whichever sign the inverter gives it.
 * @param {import("./store.js").Store} store
 */
export function balance(store) {
  const devices = store.venueDevices;
  const of = (part) => devices.filter((d) => partOf(d) === part);
  let grid = of("grid");
  const meters = of("meter");
  if (!grid.length && meters.length === 1) grid = meters;
  const solar = of("solar");
  const battery = of("battery");
  const loads = devices.filter((d) => ["ev", "hvac", "load"].includes(partOf(d)));
  const watts = (list) => total(list.map((d) => store.livePower(d)));
  const gridWatts = watts(grid);
  const solarWatts = solar.length ? total(solar.map((d) => {
    const w = store.livePower(d);
    return w === null ? null : Math.abs(w);
  })) : 0;
  const batteryWatts = battery.length ? watts(battery) : 0;
  const house = total([gridWatts, solarWatts, batteryWatts === null ? null : -batteryWatts]);
  // A load without a power reading of its own is part of the other use; one whose reading is old makes that unknown.
  const measured = loads.filter((d) => typeof d.reading?.powerWatts === "number");
  const used = measured.length ? watts(measured) : 0;
  let other = house === null || used === null ? null : house - used;
  if (other !== null && other < 0) other = other < -SKEW_WATTS ? null : 0;
  return { grid, gridWatts, solar, solarWatts, battery, batteryWatts, loads, house, other };
}

/** What a part is doing, in a word or two. */
function doing(part, watts, device) {
  if (part === "ev" && watts !== null && watts < STILL_WATTS && device?.reading?.plug) return words(device.reading.plug).toLowerCase();
  if (watts === null && device && !device.reading) return "no reading";
  if (watts === null && device && typeof device.reading.powerWatts !== "number") return "not measured";
  if (watts === null) return device ? "old value" : part === "grid" ? "no meter" : "unknown";
  const still = Math.abs(watts) < STILL_WATTS;
  switch (part) {
    case "grid": return still ? "balanced" : watts > 0 ? "importing" : "exporting";
    case "solar": return still ? "no sun" : "producing";
    case "battery": return still ? "resting" : watts > 0 ? "charging" : "discharging";
    case "ev": return still ? "idle" : "charging";
    case "hvac": return still || device?.reading?.stage === 0 ? "idle" : "running";
    default: return still ? "off" : "running";
  }
}

export class Flow {
  #root;
  #store;
  #nodes = new Map();
  #lines;
  #key = "";
  #parts = [];

  /** @param {HTMLElement} root @param {import("./store.js").Store} store */
  constructor(root, store) {
    this.#root = root;
    this.#store = store;
    store.subscribe(["devices", "venue", "clock"], () => this.draw());
    onWidth(root, () => this.#connect());
  }

  draw() {
    const b = balance(this.#store);
    const tint = colours(this.#store.venueDevices);
    const part = (key, side, kind, watts, name, into, device, colour) => ({ key, side, kind, watts, name, into, device, colour });
    const parts = [];
    if (b.solar.length) parts.push(part("solar", "source", "solar", b.solarWatts, label(b.solar, "solar"), b.solarWatts, b.solar[0], "c-solar"));
    parts.push(part("grid", "source", "grid", b.gridWatts, label(b.grid, "grid"), b.gridWatts, b.grid[0], "c-grid"));
    if (b.battery.length) {
      parts.push(part("battery", "source", "battery", b.batteryWatts, label(b.battery, "battery"),
        b.batteryWatts === null ? null : -b.batteryWatts, b.battery[0], "c-battery"));
    }
    for (const device of b.loads) {
      const watts = this.#store.livePower(device);
      parts.push(part(`device:${device.id}`, "load", partOf(device), watts, nameOf(device),
        watts === null ? null : -watts, device, tint.get(device.id)));
    }
    parts.push(part("other", "load", "other", b.other, "Other use", b.other === null ? null : -b.other, null, "c-house"));
    const key = JSON.stringify(parts.map((p) => [p.key, p.colour]));
    if (key !== this.#key) this.#build(parts, key);
    for (const p of parts) this.#update(p);
    setText(this.#nodes.get("house").value, power(b.house));
    this.#parts = parts;
    this.#connect();
  }

  #build(parts, key) {
    this.#key = key;
    this.#nodes.clear();
    this.#lines = s("svg", { class: "lines", "aria-hidden": "true" });
    const columns = { source: h("ul", { class: "side" }), load: h("ul", { class: "side" }) };
    for (const p of parts) {
      const value = h("span", { class: "value" }, UNKNOWN);
      const state = h("span", { class: "state" });
      const name = h("span", { class: "name cut" });
      const box = h("li", { class: `node ${p.colour}` }, icon(partIcon(p.kind)), h("div", {}, name, value, state));
      this.#nodes.set(p.key, { box, value, state, name });
      columns[p.side].append(box);
    }
    const value = h("span", { class: "value" }, UNKNOWN);
    const box = h("div", { class: "node hub c-house" }, icon("house"), value, h("span", { class: "name" }, "House"));
    this.#nodes.set("house", { box, value });
    this.#root.replaceChildren(this.#lines, columns.source, box, columns.load);
  }

  #update(p) {
    const node = this.#nodes.get(p.key);
    setText(node.name, p.name);
    node.name.title = p.name;
    const shown = p.kind === "grid" || p.kind === "battery" ? p.watts === null ? null : Math.abs(p.watts) : p.watts;
    setText(node.value, power(shown));
    setText(node.state, doing(p.kind, p.watts, p.device));
    node.box.classList.toggle("unknown", p.watts === null);
    node.box.classList.toggle("still", p.watts !== null && Math.abs(p.watts) < STILL_WATTS);
  }

  /** Draws the lines from where the boxes really are, so that the same code serves wide and narrow pages. */
  #connect() {
    if (!this.#lines) return;
    const frame = this.#root.getBoundingClientRect();
    const hub = this.#nodes.get("house").box.getBoundingClientRect();
    const upright = getComputedStyle(this.#root).getPropertyValue("--upright").trim() === "1";
    const old = new Map([...this.#lines.children].map((g) => [g.getAttribute("data-key"), g]));
    for (const p of this.#parts) {
      const box = this.#nodes.get(p.key).box.getBoundingClientRect();
      const path = curve(box, hub, frame, upright, p.side);
      let line = old.get(p.key);
      if (!line) {
        line = s("g", { "data-key": p.key }, s("path", { class: "pipe" }), s("path", { class: "drops" }));
        this.#lines.append(line);
      }
      old.delete(p.key);
      const still = p.into === null || Math.abs(p.into) < STILL_WATTS;
      const width = still ? 1.5 : Math.min(10, 2 + Math.sqrt(Math.abs(p.into)) / 14);
      line.setAttribute("class", `${p.colour} ${still ? "still" : p.into > 0 === (p.side === "source") ? "forth" : "back"} ${p.into === null ? "unknown" : ""}`);
      for (const child of line.children) {
        child.setAttribute("d", path);
        child.setAttribute("stroke-width", child.getAttribute("class") === "pipe" ? width : Math.max(2, width * 0.55));
      }
    }
    for (const line of old.values()) line.remove();
  }
}

/** The name of a part: the device's own where there is one. */
function label(devices, part) {
  return devices.length === 1 ? nameOf(devices[0]) : partName(part);
}

/** A curve along the way of the power: from a source to the house, or from the house to a load. */
function curve(box, hub, frame, upright, side) {
  const middle = (r) => [r.left + r.width / 2 - frame.left, r.top + r.height / 2 - frame.top];
  const [bx, by] = middle(box);
  const [hx, hy] = middle(hub);
  if (upright) {
    // A trunk runs through the gap between the two columns, with a branch to each box.
    const onLeft = bx < hx;
    const edge = (onLeft ? box.right : box.left) - frame.left;
    const turn = onLeft ? -7 : 7;
    return side === "source"
      ? `M${edge},${by}H${hx + turn}Q${hx},${by} ${hx},${by + 7}V${hub.top - frame.top}`
      : `M${hx},${hub.bottom - frame.top}V${by - 7}Q${hx},${by} ${hx + turn},${by}H${edge}`;
  }
  const edge = side === "source" ? box.right - frame.left : box.left - frame.left;
  const end = side === "source" ? hub.left - frame.left : hub.right - frame.left;
  const half = (edge + end) / 2;
  return side === "source" ? `M${edge},${by}C${half},${by} ${half},${hy} ${end},${hy}` : `M${end},${hy}C${half},${hy} ${half},${by} ${edge},${by}`;
}
