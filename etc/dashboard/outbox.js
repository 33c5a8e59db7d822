/** Load events that a sink refused for good, or that wait for one that fails: how many, why, and sending them again. */

import { get, piece, post } from "./api.js";
import { byID, h, setText } from "./dom.js";
import { moment, number } from "./format.js";

/** How many refused events are looked at for their reasons, and how many reasons are shown. */
const LETTERS = 200;
const REASONS = 5;

const plural = (count, one, many) => `${number(count)} ${count === 1 ? one : many}`;

/**
 * The reasons of refused events, the most frequent first.
 * @param {{reason: string}[]} letters
 * @returns {[string, number][]}
 */
export function reasonsOf(letters) {
  const counts = new Map();
  for (const { reason } of letters) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

export class Outbox {
  #store;
  #refresh;
  /** One row for each sink that has something to say. @type {Map<string, Row>} */
  #rows = new Map();

  /** @param {import("./store.js").Store} store @param {() => Promise<void>} refresh asks for the sinks anew */
  constructor(store, refresh) {
    this.#store = store;
    this.#refresh = refresh;
    store.subscribe(["sinks", "venue"], () => this.draw());
  }

  draw() {
    const shown = this.#store.sinks.filter((sink) => sink.deadLetters > 0 || sink.failures > 0);
    byID("outbox").hidden = !shown.length;
    for (const name of this.#rows.keys()) if (!shown.some((sink) => sink.name === name)) this.#rows.delete(name);
    for (const sink of shown) {
      if (!this.#rows.has(sink.name)) this.#rows.set(sink.name, new Row(this.#store, sink.name, this.#refresh));
      this.#rows.get(sink.name)?.update(sink);
    }
    const roots = [...this.#rows.values()].map((row) => row.root);
    const list = byID("outbox-sinks");
    // Left alone where nothing came or went, so that the focus stays on its button.
    if (list.children.length !== roots.length || roots.some((root, i) => root !== list.children[i])) list.replaceChildren(...roots);
  }
}

class Row {
  root;
  #store;
  #name;
  #refresh;
  #state = h("span", { class: "health" });
  #about = h("p", { class: "about" });
  #reasons = h("ul", { class: "reasons" });
  #note = h("p", { class: "note", role: "status" });
  #resend;
  #retry;
  #known = "";

  constructor(store, name, refresh) {
    this.#store = store;
    this.#name = name;
    this.#refresh = refresh;
    this.#resend = h("button", { type: "button", onclick: () => this.#send("resend") }, "Send again");
    this.#retry = h("button", { type: "button", onclick: () => this.#send("retry") }, "Try now");
    this.root = h("li", { class: "sink" },
      h("div", { class: "titles" }, h("h3", { class: "cut", title: name }, name), this.#state),
      h("div", { class: "actions" }, this.#retry, this.#resend),
      this.#about, this.#reasons, this.#note);
    for (const button of [this.#resend, this.#retry]) button.setAttribute("aria-label", `${button.textContent}: ${name}`);
  }

  /** @param {import("./types.js").Sink} sink */
  update(sink) {
    const { zone, clock } = this.#store;
    this.#state.className = `health ${sink.failures > 0 ? "warn" : "bad"}`;
    setText(this.#state, sink.deadLetters > 0 ? `${plural(sink.deadLetters, "event", "events")} refused for good`
      : `${plural(sink.failures, "attempt", "attempts")} failed`);
    const waits = sink.depth > 0 ? `${plural(sink.depth, "event waits", "events wait")}${
      sink.oldestWaiting ? ` since ${moment(sink.oldestWaiting, zone, clock.now())}` : ""}. ` : "";
    const next = sink.nextAttempt ? `The next attempt is at ${moment(sink.nextAttempt, zone, clock.now())}. ` : "";
    setText(this.#about, waits + next + (sink.lastError ? `${sink.lastError}.` : ""));
    this.#about.hidden = !this.#about.textContent;
    this.#resend.hidden = !sink.deadLetters;
    this.#retry.hidden = !sink.failures;
    const key = `${sink.deadLetters}`;
    if (key === this.#known) return;
    this.#known = key;
    if (sink.deadLetters > 0) this.#ask();
    else this.#reasons.replaceChildren();
  }

  /** Asks why events were refused. */
  async #ask() {
    try {
      const { deadLetters } = await get(`outbox/${piece(this.#name)}/dead-letters?limit=${LETTERS}`);
      this.#reasons.replaceChildren(...reasonsOf(deadLetters).slice(0, REASONS).map(([reason, count]) =>
        h("li", { class: "reason" }, `${number(count)} × ${reason}`)));
    } catch (error) {
      this.#known = "";
      this.#say(error.text ?? String(error), true);
    }
  }

  #say(text, bad = false) {
    this.#note.className = bad ? "note error" : "note";
    this.#note.setAttribute("role", bad ? "alert" : "status");
    setText(this.#note, text);
  }

  /** @param {"resend"|"retry"} verb */
  async #send(verb) {
    for (const button of [this.#resend, this.#retry]) button.disabled = true;
    this.#say("Sending …");
    try {
      const answer = await post(`outbox/${piece(this.#name)}/${verb}`);
      this.#say(verb === "retry" ? "It is tried now." : `${plural(answer.queued, "event waits", "events wait")} in the queue again.`);
      this.#known = "";
      // A moment for the sink's own answer, which is what one wants to see.
      window.setTimeout(() => this.#refresh(), 1500);
      await this.#refresh();
    } catch (error) {
      this.#say(error.text ?? String(error), true);
    } finally {
      for (const button of [this.#resend, this.#retry]) button.disabled = false;
    }
  }
}
