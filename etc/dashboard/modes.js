/** The mode buttons of a device. A press is only a wish until the hub says so itself. */

import { h, setText } from "./dom.js";
import { piece, put } from "./api.js";

const MODES = [
  ["off", "Off", "Do not run"],
  ["now", "Now", "Run at full power now"],
  ["guided", "Guided", "Run in the best hours and be ready in time"],
  ["solar", "Solar", "Run on surplus solar power only"],
];
/** How long to wait for the hub's own word, in milliseconds. */
const PATIENCE = 20_000;

export class ModeButtons {
  root;
  #store;
  #id;
  #buttons = new Map();
  #note = h("p", { class: "note", role: "status" });
  #wish = null;
  #accepted = false;
  #timer = 0;

  /** @param {import("./store.js").Store} store @param {string} id @param {string} name @param {string} kind */
  constructor(store, id, name, kind) {
    this.#store = store;
    this.#id = id;
    for (const [mode, text, title] of MODES) {
      // Heating does not follow surplus, and the hub would refuse it.
      if (mode === "solar" && kind === "hvac") continue;
      this.#buttons.set(mode, h("button", { type: "button", title, "aria-pressed": "false", onclick: () => this.#choose(mode) }, text));
    }
    const group = h("div", { class: "segmented wide", role: "group", "aria-label": `Mode of ${name}` }, ...this.#buttons.values());
    this.root = h("div", { class: "modes" }, group, this.#note);
  }

  /** Shows the mode that the hub reports. */
  update(mode) {
    if (this.#wish !== null && this.#accepted && mode === this.#wish) {
      clearTimeout(this.#timer);
      this.#wish = null;
      this.#say("");
    }
    for (const [name, button] of this.#buttons) {
      button.setAttribute("aria-pressed", String(name === mode));
      button.classList.toggle("pending", name === this.#wish);
    }
  }

  #say(text, bad = false) {
    this.#note.className = bad ? "note error" : "note";
    this.#note.setAttribute("role", bad ? "alert" : "status");
    setText(this.#note, text);
  }

  #current() {
    return this.#store.devices.get(this.#id)?.mode;
  }

  async #choose(mode) {
    if (mode === (this.#wish ?? this.#current())) return;
    clearTimeout(this.#timer);
    this.#wish = mode;
    this.#accepted = false;
    this.#say("Sending …");
    this.update(this.#current());
    try {
      const answer = await put(`devices/${piece(this.#id)}/mode`, { mode });
      if (this.#wish !== mode) return;
      this.#accepted = true;
      this.#say("Accepted, waiting for the hub …");
      this.#timer = window.setTimeout(() => this.#giveUp("The hub accepted this but has not confirmed it yet."), PATIENCE);
      if (answer?.id === this.#id) this.#store.setDevice(answer);
      this.update(this.#current());
    } catch (error) {
      if (this.#wish === mode) this.#giveUp(error.text ?? String(error));
    }
  }

  #giveUp(text) {
    this.#wish = null;
    this.#say(text, true);
    this.update(this.#current());
  }
}
