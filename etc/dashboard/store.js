/** All that the page knows, in one place. Parts of the page subscribe and draw what changed. */

import { HubClock, knownZone } from "./time.js";

const HOUR = 3_600_000;
const KEEP_EVENTS = 1000;
/** A reading older than this, in the viewer's own time, no longer counts as live. */
const LIVE_SECONDS = 90;

const same = (a, b) => String(a ?? "").toLowerCase() === String(b ?? "").toLowerCase();

/** A guidance value with its times as numbers. @returns {import("./types.js").Slot} */
function slotOf(value) {
  return {
    start: Date.parse(value.start), end: Date.parse(value.end), rating: value.rating,
    price: value.pricePerKWh ?? null, carbon: value.gramsCO2PerKWh ?? null,
  };
}

export class Store {
  clock = new HubClock();
  /** @type {import("./types.js").Venue[]} */
  venues = [];
  /** @type {string|null} */
  venueID = null;
  /** @type {Map<string, import("./types.js").Device>} */
  devices = new Map();
  /** What the hub last said of each action: `{guidance, slots, past, error}`. */
  guidance = { shift: emptyGuidance(), reduce: emptyGuidance() };
  /** @type {{computedAt?: string, devices?: import("./types.js").DevicePlan[]}|null} */
  plan = null;
  /** @type {import("./types.js").LoadEvent[]} */
  events = [];
  /** How the hub itself is: `{state, store, notices}`. */
  hub = null;
  /** Every place that load events go to, with its queue. @type {import("./types.js").Sink[]} */
  sinks = [];
  connection = { state: "connecting", since: Date.now(), detail: "" };
  loaded = false;
  #listeners = new Map();
  #dirty = new Set();
  #scheduled = false;

  /** Calls `draw` after any of the topics changed, at most once a frame. */
  subscribe(topics, draw) {
    for (const topic of topics) {
      if (!this.#listeners.has(topic)) this.#listeners.set(topic, new Set());
      this.#listeners.get(topic).add(draw);
    }
  }

  /** @param {string} topic `venue`, `devices`, `guidance`, `plan`, `events`, `hub`, `sinks`, `clock` or `connection` */
  changed(topic) {
    this.#dirty.add(topic);
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame(() => {
      this.#scheduled = false;
      const draws = new Set([...this.#dirty].flatMap((t) => [...(this.#listeners.get(t) ?? [])]));
      this.#dirty.clear();
      for (const draw of draws) draw();
    });
  }

  get venue() {
    return this.venues.find((v) => same(v.id, this.venueID)) ?? null;
  }

  get zone() {
    return knownZone(this.venue?.timeZone);
  }

  get currency() {
    return this.venue?.currency;
  }

  /** The chosen venue's devices, things that can be moved first, else in the hub's order. */
  get venueDevices() {
    const order = { ev: 0, hvac: 1, meter: 2 };
    return [...this.devices.values()]
      .filter((d) => !d.venueID || !this.venueID || same(d.venueID, this.venueID))
      .sort((a, b) => (order[a.kind] ?? 3) - (order[b.kind] ?? 3));
  }

  /** @param {import("./types.js").Venue[]} venues */
  setVenues(venues) {
    this.venues = venues;
    if (!this.venue) this.venueID = venues[0]?.id ?? null;
    this.changed("venue");
  }

  /** A home of which something changed, such as that somebody came. */
  setVenue(venue) {
    if (venue?.id) this.setVenues(this.venues.map((v) => same(v.id, venue.id) ? venue : v));
  }

  selectVenue(id) {
    this.venueID = id;
    this.guidance = { shift: emptyGuidance(), reduce: emptyGuidance() };
    this.plan = null;
    for (const topic of ["venue", "devices", "guidance", "plan", "events"]) this.changed(topic);
  }

  setDevices(devices) {
    this.devices = new Map(devices.map((d) => [d.id, d]));
    this.changed("devices");
  }

  /** A whole device replaces the old one, so that a cleared goal goes away; a part is laid over it. */
  setDevice(device) {
    if (!device?.id) return;
    const whole = device.kind !== undefined && device.driver !== undefined;
    this.devices.set(device.id, whole ? device : { ...this.devices.get(device.id), ...device });
    this.changed("devices");
  }

  setHealth(deviceID, health) {
    const device = this.devices.get(deviceID);
    if (device) this.setDevice({ ...device, health });
  }

  /** Takes a new guidance and keeps the hours that it leaves behind, for the dimmed past. */
  setGuidance(guidance, action = guidance?.action ?? "shift") {
    if (!this.guidance[action] || (guidance.energyVenueID && this.venueID && !same(guidance.energyVenueID, this.venueID))) return;
    const slots = (guidance.values ?? []).map(slotOf).filter((v) => v.end > v.start).sort((a, b) => a.start - b.start);
    const from = slots[0]?.start ?? this.clock.now();
    const old = this.guidance[action];
    const past = [...old.past, ...old.slots].filter((v) => v.end <= from && v.end > this.clock.now() - 6 * HOUR);
    this.guidance[action] = { guidance, slots, past, error: null };
    this.changed("guidance");
  }

  failGuidance(action, error) {
    this.guidance[action] = { ...this.guidance[action], error };
    this.changed("guidance");
  }

  setPlan(plan) {
    if (plan?.venueID && this.venueID && !same(plan.venueID, this.venueID)) return;
    this.plan = plan;
    this.changed("plan");
  }

  /** The plan of one device: the venue's plan first, as it is the newer of the two. */
  planOf(device) {
    return this.plan?.devices?.find((p) => p.deviceID === device.id) ?? device.plan ?? null;
  }

  addEvents(events) {
    const byID = new Map(this.events.map((e, i) => [e.id ?? `#${i}`, e]));
    for (const event of events) byID.set(event.id ?? `${event.session?.id}/${event.timestamp}`, event);
    this.events = [...byID.values()]
      .sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp)).slice(-KEEP_EVENTS);
    this.changed("events");
  }

  setHub(health) {
    this.hub = health;
    this.changed("hub");
  }

  setSinks(sinks) {
    this.sinks = sinks;
    this.changed("sinks");
  }

  setConnection(state, detail = "") {
    if (this.connection.state === state && this.connection.detail === detail) return;
    const since = this.connection.state === state ? this.connection.since : Date.now();
    this.connection = { state, since, detail };
    this.changed("connection");
  }

  /** Whether a device's last reading is too old to be called live. */
  isStale(device) {
    const age = this.clock.age(device.reading?.at);
    return age === null || age > LIVE_SECONDS;
  }

  /** A device's power in watts, null when unknown or old. */
  livePower(device) {
    const watts = device.reading?.powerWatts;
    return typeof watts === "number" && Number.isFinite(watts) && !this.isStale(device) ? watts : null;
  }
}

function emptyGuidance() {
  return { guidance: null, slots: [], past: [], error: null };
}

/** What to call a device. */
export const nameOf = (device) => device.name || device.id;

/** What a device is in the picture of the house: grid, solar, battery, or a load of some kind. */
export function partOf(device) {
  if (device.role === "grid" || device.role === "solar" || device.role === "battery") return device.role;
  if (device.kind === "ev" || device.kind === "hvac") return device.kind;
  return device.role === "load" ? "load" : "meter";
}
