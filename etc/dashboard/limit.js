/** The price at or below which a charger charges at once. */

import { h, setText } from "./dom.js";
import { clear, piece, put } from "./api.js";
import { price } from "./format.js";
import { Sending } from "./sending.js";

let serial = 0;

export class LimitForm {
  root;
  #store;
  #id;
  #summary = h("span", { class: "goal-text" });
  #sending;
  #field;
  #unit;
  #save = h("button", { type: "submit", class: "primary" }, "Set limit");
  #clear = h("button", { type: "button", onclick: () => this.#send(null) }, "No limit");
  #touched = false;

  /** @param {import("./store.js").Store} store @param {string} id */
  constructor(store, id) {
    this.#store = store;
    this.#id = id;
    this.#sending = new Sending(store, id, this.#save);
    const name = `limit-${serial += 1}`;
    this.#field = h("input", { id: name, type: "number", step: "any", required: true });
    this.#unit = h("label", { for: name });
    const form = h("form", { onsubmit: (e) => this.#submit(e), oninput: () => { this.#touched = true; this.#sending.say(""); } },
      h("div", { class: "field" }, this.#unit, this.#field),
      h("div", { class: "actions" }, this.#save, this.#clear), this.#sending.note);
    this.root = h("details", { class: "goal" },
      h("summary", {}, h("span", { class: "label" }, "Price limit"), this.#summary), form);
  }

  /** Shows what the hub has; leaves the field alone while the person is changing it. */
  update(limit) {
    const { currency } = this.#store;
    const value = limit?.pricePerKWh;
    setText(this.#unit, `Charge at once at or below (${currency ? `${currency}/kWh` : "per kWh"})`);
    setText(this.#summary, typeof value === "number" ? price(value, currency) : "none");
    this.#clear.hidden = typeof value !== "number";
    if (!this.#touched) this.#field.value = value ?? "";
  }

  #submit(event) {
    event.preventDefault();
    this.#send(Number(this.#field.value));
  }

  #send(pricePerKWh) {
    const path = `devices/${piece(this.#id)}/limit`;
    return this.#sending.send(
      () => (pricePerKWh === null ? clear(path) : put(path, { pricePerKWh })), () => { this.#touched = false; });
  }
}
