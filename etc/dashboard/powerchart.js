/** Power over the last hours: a line a device, import above zero and export below. */

import { byID, h, onWidth, s, segmented } from "./dom.js";
import { clock, day, number, power } from "./format.js";
import { colours } from "./palette.js";
import { nameOf, partOf } from "./store.js";
import { hourTicks } from "./time.js";
import { Tip } from "./tip.js";

const HOUR = 3_600_000;
const HEIGHT = 300;
const EDGE = { left: 38, right: 8, top: 22, bottom: 24 };
/** A line breaks where nothing was heard for this long, in the viewer's own time. */
const SILENT_MS = 180_000;

/** A round step that cuts `span` into about `count`. */
function niceStep(span, count) {
  const raw = span / count;
  const magnitude = 10 ** Math.floor(Math.log10(raw));
  return magnitude * ([1, 2, 5, 10].find((m) => m * magnitude >= raw) ?? 10);
}

export class PowerChart {
  #store;
  #history;
  #frame = byID("power-chart");
  #legend = byID("power-legend");
  #svg = s("svg", { class: "chart", height: HEIGHT, tabindex: "0", role: "img" });
  #tip;
  #hours = 6;
  #width = 0;
  #hidden = new Set();
  #view = null;
  #cursor = null;
  #drawn = 0;

  /** @param {import("./store.js").Store} store @param {import("./history.js").History} history */
  constructor(store, history) {
    this.#store = store;
    this.#history = history;
    byID("power-range").replaceChildren(segmented("Hours shown", [[1, "1 h"], [6, "6 h"], [24, "24 h"]], 6, (hours) => {
      this.#hours = hours;
      this.draw();
    }));
    this.#frame.append(this.#svg);
    this.#tip = new Tip(this.#frame);
    this.#listen();
    onWidth(this.#frame, (width) => {
      this.#width = width;
      this.draw();
    });
    store.subscribe(["devices", "venue", "clock"], () => {
      if (performance.now() - this.#drawn > 900) this.draw();
    });
  }

  #listen() {
    this.#svg.addEventListener("pointermove", (event) => {
      const { left } = this.#svg.getBoundingClientRect();
      this.#point(event.clientX - left);
    });
    this.#svg.addEventListener("pointerleave", () => this.#point(null));
    this.#svg.addEventListener("blur", () => this.#point(null));
    this.#svg.addEventListener("keydown", (event) => {
      const move = { ArrowLeft: -12, ArrowRight: 12 }[event.key];
      if (event.key === "Escape") this.#point(null);
      if (!move || !this.#view) return;
      event.preventDefault();
      const from = this.#cursor ?? this.#width - EDGE.right;
      this.#point(Math.max(EDGE.left, Math.min(this.#width - EDGE.right, from + move)));
    });
  }

  /** The visible series: points in time order, solar as production. */
  #series(start, end) {
    const devices = this.#store.venueDevices;
    const tint = colours(devices);
    const order = { grid: 0, meter: 1, solar: 2, battery: 3, ev: 4, hvac: 5, load: 6 };
    return devices
      .map((d) => {
        const all = this.#history.series.get(d.id) ?? [];
        const points = all.filter((p) => p.at >= start - HOUR / 4 && p.at <= end)
          .map((p) => ({ at: p.at, watts: partOf(d) === "solar" ? Math.abs(p.watts) : p.watts }));
        return { id: d.id, name: nameOf(d), part: partOf(d), colour: tint.get(d.id) ?? "", points };
      })
      .filter((line) => this.#history.series.has(line.id))
      .sort((a, b) => order[a.part] - order[b.part]);
  }

  draw() {
    if (!this.#width) return;
    this.#drawn = performance.now();
    const end = this.#store.clock.now();
    const start = end - this.#hours * HOUR;
    const series = this.#series(start, end);
    this.#drawLegend(series);
    const shown = series.filter((line) => !this.#hidden.has(line.id));
    const all = shown.flatMap((line) => line.points.map((p) => p.watts));
    const step = niceStep(Math.max(1000, Math.max(0, ...all)) - Math.min(0, ...all), 4);
    const high = Math.ceil(Math.max(1000, ...all) / step) * step;
    const low = Math.floor(Math.min(0, ...all) / step) * step;
    const x = (t) => EDGE.left + ((t - start) / (end - start)) * (this.#width - EDGE.left - EDGE.right);
    const y = (w) => EDGE.top + ((high - w) / (high - low)) * (HEIGHT - EDGE.top - EDGE.bottom);
    this.#view = { start, end, x, y, shown };
    this.#svg.setAttribute("width", String(this.#width));
    this.#svg.setAttribute("aria-label", this.#summary(shown));
    const empty = !all.length;
    this.#svg.replaceChildren(
      ...(empty ? [] : this.#axes(start, end, low, high, step, x, y)),
      s("defs", {}, s("clipPath", { id: "power-clip" }, s("rect", { x: EDGE.left, y: 0, width: Math.max(1, this.#width - EDGE.left - EDGE.right), height: HEIGHT }))),
      s("g", { "clip-path": "url(#power-clip)" }, ...shown.flatMap((line) => this.#line(line, x, y))),
      s("line", { class: "cursor", y1: EDGE.top, y2: HEIGHT - EDGE.bottom, visibility: "hidden" }),
      ...(empty ? [s("text", { class: "axis", x: this.#width / 2, y: HEIGHT / 2, "text-anchor": "middle" }, "No readings yet: the lines begin with the first.")] : []),
    );
    if (this.#cursor !== null) this.#point(this.#cursor);
  }

  #axes(start, end, low, high, step, x, y) {
    const marks = [];
    for (let w = low; w <= high + 1; w += step) {
      marks.push(s("line", { class: w === 0 ? "zero" : "rule", x1: EDGE.left, x2: this.#width - EDGE.right, y1: y(w), y2: y(w) }),
        s("text", { class: "axis", x: EDGE.left - 8, y: y(w) + 4, "text-anchor": "end" }, number(w / 1000, step < 1000 ? 1 : 0)));
    }
    marks.push(s("text", { class: "axis", x: EDGE.left - 8, y: 11, "text-anchor": "end" }, "kW"));
    const wide = this.#width > 500;
    const hours = this.#hours === 1 ? 1 : this.#hours === 6 ? (wide ? 1 : 2) : wide ? 3 : 6;
    for (const tick of hourTicks(start, end, hours, this.#store.zone)) {
      if (x(tick.at) < EDGE.left + 18 || x(tick.at) > this.#width - 20) continue;
      marks.push(s("line", { class: "rule", x1: x(tick.at), x2: x(tick.at), y1: HEIGHT - EDGE.bottom, y2: HEIGHT - EDGE.bottom + 4 }),
        s("text", { class: "axis", x: x(tick.at), y: HEIGHT - 6, "text-anchor": "middle" },
          clock(tick.at, this.#store.zone)));
    }
    return marks;
  }

  /** One device's line, broken where it was silent; the grid's is filled towards zero. */
  #line(line, x, y) {
    const silent = SILENT_MS * Math.max(1, this.#store.clock.speed);
    const runs = [];
    let run = [];
    for (const point of line.points) {
      if (run.length && point.at - run[run.length - 1].at > silent) {
        runs.push(run);
        run = [];
      }
      run.push(point);
    }
    if (run.length) runs.push(run);
    const every = Math.max(1, Math.floor(line.points.length / (this.#width * 1.2)));
    return runs.flatMap((points) => {
      const kept = points.filter((_, i) => i % every === 0 || i === points.length - 1);
      const at = kept.map((p) => `${x(p.at).toFixed(1)},${y(p.watts).toFixed(1)}`);
      const path = `M${at.join("L")}${kept.length === 1 ? "h2" : ""}`;
      const area = `${path}L${x(kept[kept.length - 1].at).toFixed(1)},${y(0)}L${x(kept[0].at).toFixed(1)},${y(0)}Z`;
      const filled = line.part === "grid" || line.part === "solar";
      return [filled && s("path", { class: `area ${line.colour}`, d: area }), s("path", { class: `line ${line.colour}`, d: path })].filter(Boolean);
    });
  }

  #drawLegend(series) {
    const key = JSON.stringify(series.map((line) => [line.id, line.name, line.colour]));
    if (this.#legend.dataset.key === key) return;
    this.#legend.dataset.key = key;
    this.#legend.replaceChildren(...series.map((line) => {
      const button = h("button", {
        type: "button", class: `key ${line.colour}`, "aria-pressed": "true", title: line.name,
        onclick: () => {
          if (!this.#hidden.delete(line.id)) this.#hidden.add(line.id);
          button.setAttribute("aria-pressed", String(!this.#hidden.has(line.id)));
          this.draw();
        },
      }, s("svg", { class: "swatch", "aria-hidden": "true", viewBox: "0 0 22 8" }, s("path", { class: `line ${line.colour}`, d: "M1,4H21" })),
      h("span", { class: "cut" }, line.name));
      return h("li", {}, button);
    }));
  }

  #summary(shown) {
    const last = shown.filter((line) => line.points.length)
      .map((line) => `${line.name} ${power(line.points[line.points.length - 1].watts)}`);
    return `Power of the last ${this.#hours} hours. ${last.length ? `Latest: ${last.join(", ")}.` : "No readings yet."} Use the arrow keys to read a time.`;
  }

  /** Reads the chart at a place, or clears the cursor with null. */
  #point(px) {
    const cursor = this.#svg.querySelector(".cursor");
    const view = this.#view;
    if (px === null || !view || !cursor || px < EDGE.left || px > this.#width - EDGE.right) {
      this.#cursor = null;
      cursor?.setAttribute("visibility", "hidden");
      this.#tip.hide();
      return;
    }
    this.#cursor = px;
    const at = view.start + ((px - EDGE.left) / (this.#width - EDGE.left - EDGE.right)) * (view.end - view.start);
    cursor.setAttribute("x1", String(px));
    cursor.setAttribute("x2", String(px));
    cursor.setAttribute("visibility", "visible");
    const reach = SILENT_MS * Math.max(1, this.#store.clock.speed);
    const rows = view.shown.map((line) => {
      const nearest = line.points.reduce((best, p) => (!best || Math.abs(p.at - at) < Math.abs(best.at - at) ? p : best), null);
      const watts = nearest && Math.abs(nearest.at - at) <= reach ? nearest.watts : null;
      return h("div", { class: "row" }, h("span", { class: `dot ${line.colour}` }), h("span", { class: "cut" }, line.name), h("b", {}, power(watts)));
    });
    const zone = this.#store.zone;
    this.#tip.show(px, 6, [h("div", { class: "head" }, `${day(at, zone)}, ${clock(at, zone)}`), ...rows]);
    if (document.activeElement === this.#svg) {
      byID("power-readout").textContent = `${clock(at, zone)}: ${rows.map((r) => r.textContent).join(", ")}`;
    }
  }
}
