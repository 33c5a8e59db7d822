/** Keeps the store up to date: the event stream first, asking again and again while there is none. */

import { address, ApiError, get, piece } from "./api.js";

const SILENCE = 90_000;
const POLL = 10_000;
/** How often the deliveries of load events are asked for; nothing on the stream tells of them. */
const SINKS = 30_000;

export class Feed {
  #store;
  #source = null;
  #retry = 1000;
  #lastMessage = 0;
  #timer = 0;
  #poll = 0;
  #history;

  /** @param {import("./store.js").Store} store @param {import("./history.js").History} history */
  constructor(store, history) {
    this.#store = store;
    this.#history = history;
  }

  start() {
    this.refresh();
    this.#open();
    setInterval(() => this.#watch(), 5000);
    setInterval(() => document.hidden || this.#store.connection.state === "locked" || this.refreshSinks(), SINKS);
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.#store.connection.state !== "live") this.restart();
    });
  }

  /** Opens the stream anew, for example after signing in. */
  restart() {
    this.#retry = 1000;
    this.refresh();
    this.#open();
  }

  #open() {
    clearTimeout(this.#timer);
    this.#source?.close();
    const source = new EventSource(address("stream"));
    this.#source = source;
    source.onopen = () => {
      this.#retry = 1000;
      this.#lastMessage = performance.now();
      this.#stopPolling();
      this.#store.setConnection("live");
      if (this.#store.loaded) this.refresh();
    };
    source.onerror = () => {
      this.#startPolling();
      if (source.readyState !== EventSource.CLOSED || source !== this.#source) return;
      this.#timer = setTimeout(() => this.#open(), this.#retry);
      this.#retry = Math.min(this.#retry * 2, 30_000);
    };
    const store = this.#store;
    const take = {
      reading: (d) => { store.setDevice(d); this.#history.take(store.devices.get(d.id)); },
      health: (d) => store.setHealth(d.deviceID, d.health),
      guidance: (d) => store.setGuidance(d),
      plan: (d) => store.setPlan(d),
      venue: (d) => store.setVenue(d),
      event: (d) => store.addEvents([d]),
      hub: (d) => store.setHub(d),
      clock: (d) => { store.clock.set(d.now, d.speed); store.changed("clock"); },
    };
    for (const [name, apply] of Object.entries(take)) {
      source.addEventListener(name, (message) => {
        this.#lastMessage = performance.now();
        try {
          apply(JSON.parse(message.data));
        } catch (error) {
          console.warn("Could not read the hub's message", name, error);
        }
      });
    }
  }

  /** A stream that is open but long silent has probably lost its other end. */
  #watch() {
    if (this.#store.connection.state === "live" && performance.now() - this.#lastMessage > SILENCE) this.#open();
  }

  #startPolling() {
    if (this.#poll) return;
    this.#poll = window.setInterval(() => this.refresh(), POLL);
    this.refresh();
  }

  #stopPolling() {
    clearInterval(this.#poll);
    this.#poll = 0;
  }

  /** Asks for everything once. */
  async refresh() {
    const store = this.#store;
    try {
      const [venues, devices] = await Promise.all([get("venues"), get("devices")]);
      store.setVenues(list(venues, "venues"));
      store.setDevices(list(devices, "devices"));
      for (const device of store.devices.values()) this.#history.take(device);
      get("health").then((d) => store.setHub(d), () => {});
      if (this.#poll) {
        store.setConnection("polling");
        await this.#askClock();
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      store.setConnection(error.status === 401 ? "locked" : "offline", error.text);
      return;
    } finally {
      store.loaded = true;
      document.documentElement.dataset.loaded = "true";
      store.changed("connection");
    }
    await Promise.all([this.refreshVenue(), this.#events(), this.#history.load(), this.refreshSinks()]);
  }

  /** Asks how the deliveries of load events are doing. */
  async refreshSinks() {
    try {
      this.#store.setSinks(list(await get("outbox"), "sinks"));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  /** Without the stream nothing else tells the hub's time, which in a demo is not ours. */
  async #askClock() {
    try {
      const { now, speed } = await get("clock");
      this.#store.clock.set(now, speed);
    } catch {
      // The browser's clock then stands for the hub's.
    }
  }

  /** Asks for the chosen venue's guidance and plan. */
  async refreshVenue() {
    const store = this.#store;
    if (!store.venueID) return;
    const venue = `venues/${piece(store.venueID)}`;
    const guidance = (action) => get(`${venue}/guidance?action=${action}`)
      .then((g) => store.setGuidance(g, action), (error) => store.failGuidance(action, error));
    await Promise.all([
      guidance("shift"), guidance("reduce"),
      get(`${venue}/plan`).then((p) => store.setPlan(p), () => {}),
    ]);
  }

  async #events() {
    try {
      const since = new Date(this.#store.clock.now() - 3 * 86_400_000).toISOString();
      let after = "";
      for (let page = 0; page < 5; page += 1) {
        const answer = await get(`events?limit=500&since=${piece(since)}${after && `&after=${piece(after)}`}`);
        this.#store.addEvents(answer.events ?? []);
        if (!answer.after) break;
        after = String(answer.after);
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
}

/** A list that may come bare or under its name. */
function list(answer, name) {
  return Array.isArray(answer) ? answer : answer?.[name] ?? [];
}
