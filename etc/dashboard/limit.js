/** The price at or below which a charger charges at once. */

import { h, setText } from "./dom.js";
import { clear, piece, put } from "./api.js";
import { price } from "./format.js";

let serial = 0;

export class LimitForm {
  root;
  #store;
  #id;
  #summary = h("span", { class: "goal-text" });
  #note = h("p", { class: "note", role: "status" });
  #field;
  #unit;
  #save = h("button", { type: "submit", class: "primary" }, "Set limit");
  #clear = h("button", { type: "button", onclick: () => this.#send(null) }, "No limit");
  #touched = false;

  /** @param {import("./store.js").Store} store @param {string} id */
  constructor(store, id) {
    this.#store = store;
    this.#id = id;
    const name = `limit-${serial += 1}`;
    this.#field = h("input", { id: name, type: "number", step: "any", required: true });
    this.#unit = h("label", { for: name });
    const form = h("form", { onsubmit: (e) => this.#submit(e), oninput: () => { this.#touched = true; this.#say(""); } },
      h("div", { class: "field" }, this.#unit, this.#field),
      h("div", { class: "actions" }, this.#save, this.#clear), this.#note);
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

  #say(text, bad = false) {
    this.#note.className = bad ? "note error" : "note";
    this.#note.setAttribute("role", bad ? "alert" : "status");
    setText(this.#note, text);
  }

  #submit(event) {
    event.preventDefault();
    this.#send(Number(this.#field.value));
  }

  async #send(pricePerKWh) {
    const path = `devices/${piece(this.#id)}/limit`;
    this.#save.setAttribute("disabled", "");
    this.#say("Sending …");
    try {
      const answer = pricePerKWh === null ? await clear(path) : await put(path, { pricePerKWh });
      this.#touched = false;
      if (answer?.id === this.#id) this.#store.setDevice(answer);
      this.#say("Accepted by the hub.");
    } catch (error) {
      this.#say(error.text ?? String(error), true);
    } finally {
      this.#save.removeAttribute("disabled");
    }
  }
}
