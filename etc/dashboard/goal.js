/** The goal of a charger (how much, by when) or of heating (how warm, how exactly). */

import { h, setText } from "./dom.js";
import { piece, put } from "./api.js";
import { amps, celsius, energy, moment, number, percent } from "./format.js";
import { Sending } from "./sending.js";
import { dayStart, instantOf, wallField } from "./time.js";

let serial = 0;
const has = (value) => value !== undefined && value !== null;

/** The goal in one line. */
export function goalText(goal, zone, now) {
  if (!goal) return "none";
  const parts = [];
  if (has(goal.energyWattHours)) parts.push(energy(goal.energyWattHours));
  if (has(goal.stateOfCharge)) parts.push(percent(goal.stateOfCharge));
  if (has(goal.setpointCelsius)) parts.push(celsius(goal.setpointCelsius));
  if (has(goal.comfortBandKelvin)) parts.push(`± ${number(goal.comfortBandKelvin, 1)} K`);
  if (goal.readyBy) parts.push(`by ${moment(goal.readyBy, zone, now)}`);
  if (has(goal.minimumAmps)) parts.push(`at least ${amps(goal.minimumAmps)}`);
  return parts.join(" ") || "none";
}

export class GoalForm {
  root;
  #store;
  #id;
  #hvac;
  #fields = {};
  #summary = h("span", { class: "goal-text" });
  #sending;
  #save = h("button", { type: "submit", class: "primary" }, "Set goal");
  #unit;
  #touched = false;
  #shown = "";

  /** @param {import("./store.js").Store} store @param {string} id @param {boolean} hvac */
  constructor(store, id, hvac) {
    this.#store = store;
    this.#id = id;
    this.#hvac = hvac;
    this.#sending = new Sending(store, id, this.#save);
    const rows = hvac
      ? [this.#field("setpoint", "Setpoint (°C)", { type: "number", min: 5, max: 35, step: 0.5, required: true }),
        this.#field("band", "Comfort band (± K)", { type: "number", min: 0, max: 5, step: 0.1 })]
      : [this.#amount(), this.#field("readyBy", "Ready by (time at the house)", { type: "datetime-local", required: true }),
        this.#field("minimum", "At least (A, optional)", { type: "number", min: 6, max: 80, step: 1 })];
    const form = h("form", { novalidate: false, onsubmit: (e) => this.#submit(e), oninput: () => { this.#touched = true; this.#sending.say(""); } },
      ...rows, h("div", { class: "actions" }, this.#save,
        h("button", { type: "button", onclick: () => this.#reset() }, "Undo")), this.#sending.note);
    this.root = h("details", { class: "goal" }, h("summary", {}, h("span", { class: "label" }, "Goal"), this.#summary), form);
  }

  #field(name, label, attributes) {
    const id = `goal-${serial += 1}`;
    this.#fields[name] = h("input", { id, ...attributes });
    return h("div", { class: "field" }, h("label", { for: id }, label), this.#fields[name]);
  }

  #amount() {
    const unitID = `goal-${serial += 1}`;
    const field = this.#field("amount", "How much", { type: "number", min: 0, step: "any", required: true });
    this.#unit = h("select", { id: unitID, "aria-label": "Unit of the amount", onchange: () => this.#limits() },
      h("option", { value: "energy" }, "kWh"), h("option", { value: "charge" }, "% charged"));
    field.append(this.#unit);
    field.classList.add("two");
    return field;
  }

  #limits() {
    if (this.#unit?.value === "charge") this.#fields.amount.max = "100";
    else this.#fields.amount?.removeAttribute("max");
  }

  /** Shows what the hub has; leaves the fields alone while the person is changing them. */
  update(goal) {
    const { zone } = this.#store;
    const now = this.#store.clock.now();
    setText(this.#summary, goalText(goal, zone, now));
    const key = JSON.stringify([goal ?? null, zone]);
    if (this.#touched || key === this.#shown) return;
    this.#shown = key;
    this.#fill(goal ?? {}, zone, now);
  }

  #fill(goal, zone, now) {
    const f = this.#fields;
    if (this.#hvac) {
      f.setpoint.value = goal.setpointCelsius ?? "";
      f.band.value = goal.comfortBandKelvin ?? "";
      return;
    }
    this.#unit.value = has(goal.stateOfCharge) ? "charge" : "energy";
    f.amount.value = goal.stateOfCharge ?? (has(goal.energyWattHours) ? goal.energyWattHours / 1000 : "");
    const due = Date.parse(goal.readyBy ?? "");
    f.readyBy.value = wallField(Number.isNaN(due) ? dayStart(now, zone, 1) + 7 * 3_600_000 : due, zone);
    f.minimum.value = goal.minimumAmps ?? "";
    this.#limits();
  }

  #reset() {
    this.#touched = false;
    this.#shown = "";
    this.#sending.say("");
    this.update(this.#store.devices.get(this.#id)?.goal);
  }

  #value() {
    const f = this.#fields;
    const numberIn = (field) => (field.value === "" ? undefined : Number(field.value));
    if (this.#hvac) return { setpointCelsius: numberIn(f.setpoint), comfortBandKelvin: numberIn(f.band) };
    const amount = numberIn(f.amount);
    const due = instantOf(f.readyBy.value, this.#store.zone);
    return {
      ...(this.#unit.value === "charge" ? { stateOfCharge: amount } : { energyWattHours: Math.round(amount * 1000) }),
      readyBy: new Date(due).toISOString().replace(".000", ""), minimumAmps: numberIn(f.minimum),
    };
  }

  #submit(event) {
    event.preventDefault();
    const goal = this.#value();
    return this.#sending.send(() => put(`devices/${piece(this.#id)}/goal`, goal), () => {
      this.#touched = false;
      this.#shown = "";
    });
  }
}
