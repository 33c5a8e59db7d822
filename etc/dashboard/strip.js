/** The guidance strip: the coming hours as blocks, taller and redder is worse, with each device's plan below. */

import { byID, h, onWidth, s, segmented } from "./dom.js";
import { carbon, clock, day, number, power, price, ratingWord } from "./format.js";
import { drawLanes, LANE } from "./lanes.js";
import { hourTicks } from "./time.js";
import { Tip } from "./tip.js";
import { showGuidanceText } from "./guidancetext.js";

const HOUR = 3_600_000;
const DAYS = 18;
const BARS = 116;
const AXIS = 22;

export class Strip {
  #store;
  #frame = byID("strip");
  #svg = s("svg", { class: "chart strip", role: "group" });
  #tip;
  #action = "shift";
  #hours = innerWidth < 640 ? 24 : 48;
  #width = 0;
  #view = null;
  #focused = null;
  #moving = null;

  /** @param {import("./store.js").Store} store */
  constructor(store) {
    this.#store = store;
    this.#frame.append(this.#svg);
    this.#tip = new Tip(this.#frame);
    byID("strip-choices").replaceChildren(
      segmented("Guidance for", [["shift", "Charging"], ["reduce", "Heating"]], "shift", (action) => {
        this.#action = action;
        this.draw();
      }),
      segmented("Hours shown", [[24, "24 h"], [48, "48 h"]], this.#hours, (hours) => {
        this.#hours = hours;
        this.draw();
      }),
    );
    this.#listen();
    onWidth(this.#frame, (width) => {
      this.#width = width;
      this.draw();
    });
    store.subscribe(["guidance", "plan", "venue"], () => this.draw());
    store.subscribe(["devices"], () => {
      const key = JSON.stringify(store.venueDevices.map((d) => [d.id, d.name, d.goal, d.plan]));
      if (key !== this.#view?.key) this.draw();
    });
    store.subscribe(["clock"], () => this.tick());
  }

  /** Moves the "now" line; draws anew once the hour or the block has changed. */
  tick() {
    const now = this.#store.clock.now();
    const view = this.#view;
    if (!view) return;
    if (now >= view.redrawAt || now < view.start) this.draw();
    else this.#placeNow(now);
  }

  #placeNow(now) {
    this.#moving?.setAttribute("transform", `translate(${this.#view.x(now).toFixed(1)},0)`);
  }

  draw() {
    if (!this.#width) return;
    const store = this.#store;
    const now = store.clock.now();
    const { slots, past, error } = store.guidance[this.#action];
    const all = [...past, ...slots];
    byID("strip-choices").hidden = !all.length && !error;
    showGuidanceText(store, this.#action, slots, now, error);
    if (!all.length && !store.plan?.devices?.length) {
      this.#view = null;
      this.#svg.replaceChildren();
      this.#svg.setAttribute("height", "0");
      return;
    }
    const hour = Math.floor(now / HOUR) * HOUR;
    const first = all.length ? Math.floor(all[0].start / HOUR) * HOUR : hour;
    const start = Math.min(Math.max(first, hour - 3 * HOUR), hour);
    const end = start + this.#hours * HOUR;
    const x = (t) => ((t - start) / (end - start)) * this.#width;
    const lanes = drawLanes(store, start, end, now, this.#width, DAYS + BARS + AXIS + 6);
    const height = DAYS + BARS + AXIS + 6 + lanes.count * LANE;
    const running = all.find((v) => v.start <= now && now < v.end);
    this.#view = {
      start, end, x, all: all.filter((v) => v.end > start && v.start < end),
      redrawAt: Math.min(hour + HOUR, running?.end ?? Infinity),
      key: JSON.stringify(store.venueDevices.map((d) => [d.id, d.name, d.goal, d.plan])),
    };
    this.#svg.setAttribute("width", String(this.#width));
    this.#svg.setAttribute("height", String(height));
    this.#svg.setAttribute("aria-label", "Guidance by time. Use the left and right arrow keys to go through it.");
    this.#moving = s("g", { class: "now" }, s("line", { y1: DAYS - 2, y2: height }),
      s("rect", { x: -18, y: 0, width: 36, height: 16, rx: 8 }), s("text", { y: 12, "text-anchor": "middle" }, "now"));
    const hadFocus = this.#svg.contains(document.activeElement);
    this.#svg.replaceChildren(hatch(), ...this.#axis(start, end, x, height), ...this.#bars(now), ...lanes.marks, this.#moving, ...lanes.labels);
    this.#placeNow(now);
    if (hadFocus) this.#focus(this.#focused ?? now);
  }

  #axis(start, end, x, height) {
    const zone = this.#store.zone;
    const spacing = (this.#width / (end - start)) * HOUR;
    const step = [1, 2, 3, 6, 12].find((n) => n * spacing > 52) ?? 12;
    const marks = [];
    for (const tick of hourTicks(start, end, 1, zone)) {
      const at = x(tick.at);
      if (tick.midnight && at > 1) {
        marks.push(s("line", { class: "daybreak", x1: at, x2: at, y1: 2, y2: height }));
        if (at < this.#width - 70) marks.push(s("text", { class: "axis day", x: at + 6, y: 12 }, day(tick.at, zone)));
      }
    }
    for (const tick of hourTicks(start, end, step, zone)) {
      const at = x(tick.at);
      if (at > 16 && at < this.#width - 18) {
        marks.push(s("text", { class: "axis", x: at, y: DAYS + BARS + 16, "text-anchor": "middle" }, clock(tick.at, zone)));
      }
    }
    marks.push(s("line", { class: "zero", x1: 0, x2: this.#width, y1: DAYS + BARS, y2: DAYS + BARS }));
    return marks;
  }

  #bars(now) {
    const { all, x, start, end } = this.#view;
    const focusAt = this.#focused ?? now;
    const chosen = all.find((v) => v.start <= focusAt && focusAt < v.end) ?? all[0];
    return all.map((slot) => {
      const left = x(Math.max(slot.start, start));
      const right = x(Math.min(slot.end, end));
      const gap = right - left > 5 ? 1 : 0;
      const rating = Math.min(1, Math.max(0, slot.rating));
      const tall = BARS * (0.12 + 0.82 * rating);
      const box = { x: left, y: DAYS + BARS - tall, width: Math.max(0.5, right - left - gap), height: tall };
      const worse = rating >= 0.7;
      return s("g", {
        class: `slot${slot.end <= now ? " past" : ""}`, role: "img", tabindex: slot === chosen ? "0" : "-1",
        "aria-label": this.#words(slot).join(", "), "data-start": slot.start,
      },
      s("rect", { class: "reach", x: left, y: DAYS, width: Math.max(1, right - left), height: BARS }),
      s("rect", { class: `bar r${Math.round(rating * 10)}`, ...box }), worse && s("rect", { class: "worse", ...box }));
    });
  }

  /** What there is to say of one block. */
  #words(slot) {
    const zone = this.#store.zone;
    return [
      `${day(slot.start, zone)}, ${clock(slot.start, zone)} to ${clock(slot.end, zone)}`,
      `${ratingWord(slot.rating)} (rating ${number(slot.rating, 2)})`,
      slot.price === null ? "price unknown" : price(slot.price, this.#store.currency),
      slot.carbon === null ? "carbon unknown" : carbon(slot.carbon),
    ];
  }

  #show(slot) {
    const [head, ...rest] = this.#words(slot);
    const planned = (this.#store.plan?.devices ?? []).flatMap((p) => (p.intervals ?? [])
      .filter((i) => Date.parse(i.start) < slot.end && Date.parse(i.end) > slot.start)
      .map((i) => `${this.#store.devices.get(p.deviceID)?.name ?? p.deviceID}: ${power(i.powerWatts)}`));
    this.#tip.show(this.#view.x(slot.start), DAYS + BARS + AXIS, [
      h("div", { class: "head" }, head), ...rest.map((text) => h("div", {}, text)),
      ...[...new Set(planned)].map((text) => h("div", { class: "planned" }, text)),
    ]);
    for (const g of this.#svg.querySelectorAll(".slot.shown")) g.classList.remove("shown");
    this.#svg.querySelector(`[data-start="${slot.start}"]`)?.classList.add("shown");
  }

  #hide() {
    this.#tip.hide();
    for (const g of this.#svg.querySelectorAll(".slot.shown")) g.classList.remove("shown");
  }

  #focus(at) {
    const slot = this.#view?.all.find((v) => v.start <= at && at < v.end) ?? this.#view?.all[0];
    const mark = slot && this.#svg.querySelector(`[data-start="${slot.start}"]`);
    if (!mark) return;
    for (const g of this.#svg.querySelectorAll(".slot[tabindex='0']")) g.setAttribute("tabindex", "-1");
    mark.setAttribute("tabindex", "0");
    this.#focused = slot.start;
    /** @type {SVGElement} */ (mark).focus();
  }

  #listen() {
    const slotAt = (event) => {
      const { left } = this.#svg.getBoundingClientRect();
      return this.#view?.all.find((v) => this.#view.x(v.start) <= event.clientX - left && event.clientX - left < this.#view.x(v.end));
    };
    this.#svg.addEventListener("pointermove", (event) => {
      const slot = slotAt(event);
      if (slot) this.#show(slot);
      else this.#hide();
    });
    this.#svg.addEventListener("pointerleave", () => this.#hide());
    this.#svg.addEventListener("focusin", (event) => {
      const start = Number(/** @type {Element} */ (event.target).getAttribute("data-start"));
      const slot = this.#view?.all.find((v) => v.start === start);
      if (slot) this.#show(slot);
    });
    this.#svg.addEventListener("focusout", () => this.#hide());
    this.#svg.addEventListener("keydown", (event) => {
      const all = this.#view?.all ?? [];
      const current = all.findIndex((v) => v.start === Number(document.activeElement?.getAttribute("data-start")));
      const to = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: all.length - 1 }[event.key];
      if (event.key === "Escape") this.#hide();
      if (to === undefined || current < 0) return;
      event.preventDefault();
      const slot = all[Math.max(0, Math.min(all.length - 1, to))];
      this.#focus(slot.start);
    });
  }
}

/** Stripes over the bad hours, so that colour is not the only sign. */
function hatch() {
  return s("defs", {}, s("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    s("rect", { class: "hatch", width: 2, height: 6 })));
}
