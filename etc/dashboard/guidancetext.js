/** The guidance in words: what now costs, when the best stretch is, and the same as a table. */

import { byID, h } from "./dom.js";
import { carbon, clock, day, moment, number, price, ratingWord, UNKNOWN } from "./format.js";

const HOUR = 3_600_000;
const STRETCH = 3 * HOUR;

/** Ratings that differ by less than this are as good as the same. */
const EVEN = 0.02;

/** Whether the coming hours are all rated alike, as with a flat price. */
function isEven(slots, now) {
  const ratings = slots.filter((slot) => slot.end > now && slot.start < now + 24 * HOUR).map((slot) => slot.rating);
  return ratings.length > 0 && Math.max(...ratings) - Math.min(...ratings) < EVEN;
}

/** The best three hours of the next day, by mean rating; null where guidance is too short. */
export function bestStretch(slots, now) {
  let best = null;
  for (const first of slots) {
    const start = Math.max(first.start, now);
    const end = start + STRETCH;
    if (start > now + 24 * HOUR || first.end <= now) continue;
    let covered = 0;
    let sum = 0;
    for (const slot of slots) {
      const overlap = Math.min(end, slot.end) - Math.max(start, slot.start);
      if (overlap > 0) {
        covered += overlap;
        sum += overlap * slot.rating;
      }
    }
    if (covered >= STRETCH - 1000 && (!best || sum / covered < best.rating - 1e-9)) best = { start, end, rating: sum / covered };
  }
  return best;
}

/** The mark before a rating's word: its height says the same as its colour. */
const chip = (rating) => h("span", { class: `chip r${Math.round(Math.min(1, Math.max(0, rating)) * 10)}` });

export function showGuidanceText(store, action, slots, now, error) {
  const zone = store.zone;
  const current = slots.find((v) => v.start <= now && now < v.end);
  const best = bestStretch(slots, now);
  const fact = (label, ...content) => h("div", { class: "fact" }, h("dt", {}, label), h("dd", {}, ...content));
  byID("guidance-facts").replaceChildren(...(slots.length ? [
    fact("Now", ...(current ? [chip(current.rating), ratingWord(current.rating)] : [UNKNOWN])),
    fact("Price", price(current?.price, store.currency)),
    fact("Carbon", carbon(current?.carbon)),
    fact(action === "shift" ? "Best 3 hours" : "Best 3 hours to heat",
      isEven(slots, now) ? "any, all are alike" : best ? `${moment(best.start, zone, now)} – ${clock(best.end, zone)}` : UNKNOWN),
    fact("Time zone", zone.replaceAll("_", " ")),
  ] : []));
  showEmpty(store, slots, error);
  showTable(store, slots, now);
}

function showEmpty(store, slots, error) {
  const box = byID("guidance-empty");
  box.hidden = slots.length > 0 || !store.loaded;
  if (box.hidden) return;
  box.replaceChildren(
    h("h3", {}, "No guidance yet"),
    h("p", {}, error?.status ? error.text : "The hub has no price or carbon series for this venue."),
    h("p", {}, "Set a source under ", h("code", {}, "venues: guidance:"), " in the configuration, or a plain ",
      h("code", {}, "rate_plan: {flat: 0.30}"), ". The hub's log says which source fails and why."),
  );
}

/** The values as a table, built only while it is open. */
function showTable(store, slots, now) {
  const details = /** @type {HTMLDetailsElement} */ (byID("guidance-details"));
  details.hidden = !slots.length;
  const draw = () => {
    const zone = store.zone;
    byID("guidance-rows").replaceChildren(...slots.filter((v) => v.end > now).map((v) => h("tr", {},
      h("th", { scope: "row" }, `${day(v.start, zone)}, ${clock(v.start, zone)} – ${clock(v.end, zone)}`),
      h("td", {}, chip(v.rating), `${number(v.rating, 2)} ${ratingWord(v.rating)}`),
      h("td", {}, price(v.price, store.currency)), h("td", {}, carbon(v.carbon)))));
  };
  details.ontoggle = () => details.open && draw();
  if (details.open) draw();
}
