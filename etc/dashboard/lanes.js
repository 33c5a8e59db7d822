/** The plan under the guidance: a lane a device with its intervals, its deadline and what it comes to. */

import { s } from "./dom.js";
import { clock, energy, grams, money, moment, power, words } from "./format.js";
import { colours } from "./palette.js";
import { nameOf } from "./store.js";

/** Height of one lane. */
export const LANE = 46;
const TRACK = 14;

/** Neighbouring intervals in which a device does the same, as one block. */
export function joined(intervals) {
  const blocks = [];
  for (const interval of [...(intervals ?? [])].sort((a, b) => Date.parse(a.start) - Date.parse(b.start))) {
    const start = Date.parse(interval.start);
    const end = Date.parse(interval.end);
    const last = blocks[blocks.length - 1];
    if (!(end > start)) continue;
    const same = last && last.watts === interval.powerWatts && last.reduce === interval.reduce;
    if (same && last.end === start) last.end = end;
    else blocks.push({ start, end, watts: interval.powerWatts, reduce: interval.reduce });
  }
  return blocks;
}

/** What a device does in a block: its power, or how far it is held back; nothing where neither is known. */
export function doing(block) {
  if (block.watts !== undefined && block.watts !== null) return power(block.watts);
  return block.reduce ? words(block.reduce).toLowerCase() : "";
}

/** What a plan comes to: energy, cost and carbon, as far as known. */
export function sums(plan, currency) {
  return [
    plan.energyWattHours === undefined || plan.energyWattHours === null ? null : energy(plan.energyWattHours),
    plan.cost === undefined || plan.cost === null ? null : money(plan.cost, plan.currency ?? currency),
    plan.gramsCO2 === undefined || plan.gramsCO2 === null ? null : grams(plan.gramsCO2),
  ].filter(Boolean).join(" · ");
}

/**
 * The marks that the "now" line may cross, and the labels that lie over it.
 * @returns {{marks: SVGElement[], labels: SVGElement[], count: number}}
 */
export function drawLanes(store, start, end, now, width, top) {
  const devices = store.venueDevices;
  const tint = colours(devices);
  const rows = devices.map((device) => ({ device, plan: store.planOf(device) }))
    .filter(({ device, plan }) => plan?.intervals?.length || device.goal?.readyBy);
  const lanes = rows.map(({ device, plan }, index) => lane(store, {
    device, plan, colour: tint.get(device.id), start, end, now, width, top: top + index * LANE,
  }));
  return { marks: lanes.flatMap((l) => l.marks), labels: lanes.flatMap((l) => l.labels), count: rows.length };
}

function lane(store, at) {
  const x = (t) => ((t - at.start) / (at.end - at.start)) * at.width;
  const y = at.top + 24;
  const plan = at.plan ?? {};
  const title = cut(nameOf(at.device), at.width < 500 ? 18 : 40);
  const most = Math.max(0, ...joined(plan.intervals).map((b) => b.watts ?? 0));
  const marks = [s("rect", { class: "track", x: 0, y, width: at.width, height: TRACK, rx: 4 })];
  for (const block of joined(plan.intervals)) {
    if (block.end <= at.start || block.start >= at.end) continue;
    const left = Math.max(0, x(block.start));
    const span = Math.max(2, Math.min(at.width, x(block.end)) - left);
    const strength = most > 0 && block.watts ? 0.45 + 0.55 * (block.watts / most) : 1;
    const name = doing(block);
    const told = `${title}: ${name || "planned"}, ${moment(block.start, store.zone, at.now)} to ${clock(block.end, store.zone)}`;
    marks.push(s("g", { class: `block ${at.colour}${block.end <= at.now ? " past" : ""}`, role: "img", "aria-label": told },
      s("title", {}, told),
      s("rect", { x: left, y, width: span, height: TRACK, rx: 3, "fill-opacity": strength.toFixed(2) }),
      name && span > name.length * 7 + 12
        && s("text", { class: "on", x: left + span / 2, y: y + 11, "text-anchor": "middle" }, name)));
  }
  const due = Date.parse(at.device.goal?.readyBy ?? "");
  const place = due > at.start && due <= at.end ? x(due) : null;
  const text = sums(plan, store.currency) || (at.plan ? "" : "no plan yet");
  const room = labelRoom(title, text, place, at.width);
  return {
    marks,
    labels: [
      s("text", { class: "lane-name", x: 0, y: at.top + 16 }, title,
        room.sums && s("tspan", { class: "axis", dx: 8 }, text)),
      place !== null && deadline(place, y, room, clock(due, store.zone)),
    ].filter(Boolean),
  };
}

/**
 * What fits on a lane's line of text beside its deadline: widths are estimated, since nothing is laid out yet.
 * The name always stays, then the deadline's words, then the sums.
 */
function labelRoom(title, text, place, width) {
  const name = title.length * 8 + 6;
  const full = name + 8 + text.length * 6.8;
  if (place === null) return { sums: full < width, words: false, left: false };
  const left = place > width - 110;
  const from = left ? place - 108 : place - 6;
  return { sums: full < from, words: name < from, left };
}

/** The flag at the time by which the device should be done. */
function deadline(place, y, { words, left }, time) {
  const side = left ? -1 : 1;
  return s("g", { class: "deadline", role: "img", "aria-label": `Ready by ${time}` }, s("title", {}, `Ready by ${time}`),
    s("line", { x1: place, x2: place, y1: y - 14, y2: y + TRACK + 2 }),
    s("path", { d: `M${place},${y - 14}h${8 * side}l${-3 * side},4l${3 * side},4h${-8 * side}z` }),
    words && s("text", { class: "axis", x: place + 12 * side, y: y - 6, "text-anchor": left ? "end" : "start" }, `ready by ${time}`));
}

const cut = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
