/** One small box beside the pointer or the focused mark. What it says is also in the mark's label. */

import { h } from "./dom.js";

/** @param {HTMLElement} frame a positioned element */
export class Tip {
  #box = h("div", { class: "tip", "aria-hidden": "true", hidden: true });
  #frame;

  constructor(frame) {
    this.#frame = frame;
    frame.append(this.#box);
  }

  /** @param {number} x pixels from the frame's left @param {number} y pixels from its top @param {any[]} content */
  show(x, y, content) {
    this.#box.replaceChildren(...content);
    this.#box.hidden = false;
    const { offsetWidth: width } = this.#box;
    const room = this.#frame.clientWidth;
    let left = x + 14;
    if (left + width > room) left = x - 14 - width;
    this.#box.style.left = `${Math.max(0, Math.min(left, room - width))}px`;
    this.#box.style.top = `${Math.max(0, y)}px`;
  }

  hide() {
    this.#box.hidden = true;
  }
}
