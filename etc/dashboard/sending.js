/** Sending a form's change of a device, and the line under the form that says what became of it. */

import { h, setText } from "./dom.js";

export class Sending {
  note = h("p", { class: "note", role: "status" });
  #store;
  #id;
  #button;

  /** @param {import("./store.js").Store} store @param {string} id the device @param {HTMLElement} button rests meanwhile */
  constructor(store, id, button) {
    this.#store = store;
    this.#id = id;
    this.#button = button;
  }

  say(text, bad = false) {
    this.note.className = bad ? "note error" : "note";
    this.note.setAttribute("role", bad ? "alert" : "status");
    setText(this.note, text);
  }

  /** @param {() => Promise<any>} change @param {() => void} accepted called before the device is shown as it is now */
  async send(change, accepted) {
    this.#button.setAttribute("disabled", "");
    this.say("Sending …");
    try {
      const answer = await change();
      accepted();
      if (answer?.id === this.#id) this.#store.setDevice(answer);
      this.say("Accepted by the hub.");
    } catch (error) {
      this.say(error.text ?? String(error), true);
    } finally {
      this.#button.removeAttribute("disabled");
    }
  }
}
