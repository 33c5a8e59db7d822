/** A card for each device: how it is, what it does, what is planned for it, and its controls. */

import { byID, h, icon, setText } from "./dom.js";
import { age, clock, moment, sentence, words } from "./format.js";
import { GoalForm } from "./goal.js";
import { LimitForm } from "./limit.js";
import { doing, joined, sums } from "./lanes.js";
import { ModeButtons } from "./modes.js";
import { colours, partIcon, partName } from "./palette.js";
import { nameOf, partOf } from "./store.js";
import { toneOf, valuesOf } from "./values.js";

/** Whether a device has modes and goals. */
const isMovable = (device) => device.kind === "ev" || device.kind === "hvac";

/** Puts children in place only when they differ, so that focus stays where it is. */
function place(list, wanted) {
  const shown = [...list.children];
  if (wanted.length !== shown.length || wanted.some((root, i) => root !== shown[i])) list.replaceChildren(...wanted);
}

class Card {
  root;
  #store;
  #parts = {};
  #modes = null;
  #goal = null;
  #limit = null;
  #shape = "";

  /** @param {import("./store.js").Store} store @param {import("./types.js").Device} device @param {string} colour */
  constructor(store, device, colour) {
    this.#store = store;
    const p = this.#parts;
    const part = partOf(device);
    p.name = h("h3", { class: "cut", title: nameOf(device) }, nameOf(device));
    p.about = h("p", { class: "about cut" });
    p.health = h("span", { class: "health" });
    p.reason = h("p", { class: "reason" });
    p.values = h("dl", { class: "values" });
    p.plan = h("div", { class: "plan" });
    p.age = h("p", { class: "age" });
    if (isMovable(device)) {
      this.#modes = new ModeButtons(store, device.id, nameOf(device), device.kind);
      this.#goal = new GoalForm(store, device.id, device.kind === "hvac");
      if (device.kind === "ev") this.#limit = new LimitForm(store, device.id);
    }
    this.root = h("article", { class: `card device ${colour}`, "aria-label": nameOf(device) },
      h("header", {}, h("span", { class: "badge" }, icon(partIcon(part))), h("div", { class: "titles" }, p.name, p.about), p.health),
      p.reason, p.values, this.#modes?.root, p.plan, this.#goal?.root, this.#limit?.root, p.age);
  }

  /** @param {import("./types.js").Device} device */
  update(device) {
    const p = this.#parts;
    setText(p.about, [partName(partOf(device)), device.driver, device.profile].filter(Boolean).join(" · "));
    p.about.title = p.about.textContent;
    this.#health(device.health ?? {});
    this.#values(device);
    this.#plan(device);
    this.#modes?.update(device.mode);
    this.#goal?.update(device.goal);
    this.#limit?.update(device.limit);
    this.tick(device);
  }

  /** What changes with time alone. */
  tick(device) {
    const seconds = this.#store.clock.age(device.reading?.at);
    const stale = this.#store.isStale(device);
    this.root.classList.toggle("stale", stale);
    setText(this.#parts.age, seconds === null ? "No reading yet" : stale
      ? `Old values: last heard ${age(seconds * this.#store.clock.speed)} ago (${moment(device.reading.at, this.#store.zone, this.#store.clock.now())})`
      : "");
  }

  #health(health) {
    const p = this.#parts;
    p.health.className = `health ${toneOf(health.state)}`;
    setText(p.health, words(health.state));
    const since = health.since ? `since ${moment(health.since, this.#store.zone, this.#store.clock.now())}` : "";
    p.health.title = since;
    p.reason.hidden = !health.reason;
    setText(p.reason, [sentence(health.reason), health.reason && since ? `(${since})` : ""].filter(Boolean).join(" "));
  }

  #values(device) {
    const rows = valuesOf(device);
    const shape = JSON.stringify(rows.map(([label, , large]) => [label, large]));
    const list = this.#parts.values;
    if (shape !== this.#shape) {
      this.#shape = shape;
      list.replaceChildren(...rows.map(([label, , large]) => h("div", { class: large ? "large" : null }, h("dt", {}, label), h("dd", {}))));
    }
    rows.forEach(([, text], index) => setText(list.children[index].lastChild, text));
  }

  #plan(device) {
    const box = this.#parts.plan;
    const plan = this.#store.planOf(device);
    box.hidden = !plan && !device.reason;
    if (!plan) {
      // Without a plan the hub still says why the device does what it does.
      const why = sentence(device.reason ?? "");
      if (box.dataset.key !== why) {
        box.dataset.key = why;
        box.replaceChildren(...(why ? [h("p", { class: "why" }, why)] : []));
      }
      return;
    }
    const zone = this.#store.zone;
    const now = this.#store.clock.now();
    const next = joined(plan.intervals).find((b) => b.end > now);
    const how = next ? doing(next) : "";
    const manner = !how ? "" : next.reduce ? `, ${how}` : ` at ${how}`;
    const when = !next ? null : next.start <= now
      ? `${next.reduce ? words(next.reduce) : "Running"} until ${moment(next.end, zone, now)}${next.reduce ? "" : manner}`
      : `Next: ${moment(next.start, zone, now)} – ${clock(next.end, zone)}${manner}`;
    // What it does now may go another way than its plan: a price limit, a fuse, a room outside its band.
    const reason = device.reason ?? plan.reason ?? "";
    const planned = reason.startsWith(plan.reason ?? "") ? "" : sentence(plan.reason);
    const lines = [[sentence(reason), "why"], [planned, "why"], [when, "when"], [sums(plan, this.#store.currency), "sums"]]
      .filter(([text]) => text);
    const key = JSON.stringify(lines);
    if (box.dataset.key === key) return;
    box.dataset.key = key;
    box.replaceChildren(...lines.map(([text, name]) => h("p", { class: name }, text)));
    box.hidden = !lines.length;
  }
}

export class Devices {
  #store;
  #lists = { movable: byID("device-list"), meter: byID("meter-list") };
  /** @type {Map<string, {card: Card, key: string}>} */
  #cards = new Map();

  /** @param {import("./store.js").Store} store */
  constructor(store) {
    this.#store = store;
    store.subscribe(["devices", "plan", "venue"], () => this.draw());
    setInterval(() => {
      for (const device of store.venueDevices) this.#cards.get(device.id)?.card.tick(device);
    }, 5000);
  }

  draw() {
    const devices = this.#store.venueDevices;
    const tint = colours(devices);
    const cards = new Map();
    for (const device of devices) {
      const key = JSON.stringify([device.kind, device.role, nameOf(device), tint.get(device.id)]);
      const old = this.#cards.get(device.id);
      const entry = old?.key === key ? old : { key, card: new Card(this.#store, device, tint.get(device.id) ?? "") };
      entry.card.update(device);
      cards.set(device.id, entry);
    }
    this.#cards = cards;
    const roots = (meters) => devices.filter((d) => isMovable(d) !== meters).map((d) => cards.get(d.id).card.root);
    place(this.#lists.movable, roots(false));
    place(this.#lists.meter, roots(true));
    const { state } = this.#store.connection;
    byID("device-empty").hidden = devices.length > 0 || !this.#store.loaded || state === "offline" || state === "locked";
  }
}
