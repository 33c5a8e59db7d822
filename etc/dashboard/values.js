/** A device's live values as label and text, in the order in which people look for them. */

import { amps, celsius, energy, number, percent, power, UNKNOWN, words } from "./format.js";
import { partOf } from "./store.js";

const present = (value) => value !== undefined && value !== null;

/** Currents of the phases in one line. */
function phases(values) {
  return Array.isArray(values) && values.length
    ? values.map((v) => (present(v) ? number(v, 1) : UNKNOWN)).join(" / ") + "\u00a0A" : null;
}

/** What a meter's two counters count, by what it stands at. */
const TOTALS = {
  grid: ["Imported", "Exported"], solar: ["Produced", "Used itself"], battery: ["Discharged", "Charged"],
};

/**
 * Label, text and whether it is a large one. What a device of its kind should tell is shown as unknown
 * when it does not; the rest only when it is there.
 * @param {import("./types.js").Device} device @returns {[string, string, boolean?][]}
 */
export function valuesOf(device) {
  const r = device.reading ?? {};
  const part = partOf(device);
  const [taken, given] = TOTALS[part] ?? ["Used", "Fed back"];
  const optional = (label, value, format) => (present(value) ? [[label, format(value)]] : []);
  switch (device.kind) {
    case "ev": return [
      ["Power", power(r.powerWatts), true],
      present(r.stateOfCharge) ? ["Battery", percent(r.stateOfCharge), true] : ["This session", energy(r.sessionEnergyWattHours), true],
      ["Car", words(r.plug)], ["Charging", words(r.charging)],
      ...(present(r.stateOfCharge) ? optional("This session", r.sessionEnergyWattHours, energy) : []),
      ...optional("Limit", r.limitAmps, amps), ...optional("Current L1/L2/L3", phases(r.currentAmps), String),
      ...optional("Meter total", r.importWattHours, energy),
    ];
    case "hvac": return [
      ["Room", celsius(r.roomCelsius), true], ["Power", power(r.powerWatts), true],
      ...optional("Setpoint", r.setpointCelsius, celsius), ...optional("Outdoors", r.outdoorCelsius, celsius),
      ...optional("Mode", r.hvacMode, words), ...optional("Stage", r.stage, percent),
      ...optional("Reduction", r.reduce, words), ...optional("Meter total", r.importWattHours, energy),
    ];
    default: return [
      ["Power", power(part === "solar" && present(r.powerWatts) ? Math.abs(r.powerWatts) : r.powerWatts), true],
      ...optional("Battery", r.stateOfCharge, percent),
      ...optional(taken, r.importWattHours, energy), ...optional(given, r.exportWattHours, energy),
      ...optional("Current L1/L2/L3", phases(r.currentAmps), String),
    ];
  }
}

const TONES = {
  good: ["online", "healthy", "ok", "ready", "running", "good", "connected"],
  wait: ["starting", "connecting", "waiting", "initializing", "retrying", "reconnecting", "unknown"],
  warn: ["degraded", "stale", "warning", "busy", "throttled", "ratelimited"],
  bad: ["offline", "failed", "failing", "error", "disabled", "unreachable", "misconfigured", "invalid", "faulted", "needsperson", "lost"],
};

/** How a health state is meant: `good`, `wait`, `warn` or `bad`; a word that the page does not know is `wait`. */
export function toneOf(state) {
  const word = String(state ?? "").replace(/[^a-z]/gi, "").toLowerCase();
  return Object.keys(TONES).find((tone) => TONES[tone].includes(word)) ?? "wait";
}
