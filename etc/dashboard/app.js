/** Puts the page together. */

import { byID, h, setText } from "./dom.js";
import { Devices } from "./devices.js";
import { Flow } from "./flow.js";
import { age, clock, day, number, sentence } from "./format.js";
import { History } from "./history.js";
import { Outbox } from "./outbox.js";
import { PowerChart } from "./powerchart.js";
import { setUpSession, signIn } from "./session.js";
import { Sessions } from "./sessions.js";
import { Store } from "./store.js";
import { Feed } from "./stream.js";
import { Strip } from "./strip.js";

const store = new Store();
const history = new History();
const feed = new Feed(store, history);

new Flow(byID("flow"), store);
new PowerChart(store, history);
new Strip(store);
new Devices(store);
new Sessions(store);
new Outbox(store, () => feed.refreshSinks());

/** The house's name, or a choice where there are several. */
function drawVenue() {
  const { venues, venue } = store;
  document.title = venue?.name ? `${venue.name} · Offpeak` : "Offpeak";
  byID("away").hidden = venue?.presence !== "away";
  const box = byID("venue");
  const key = JSON.stringify(venues.map((v) => [v.id, v.name]));
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  if (venues.length < 2) {
    box.replaceChildren(h("span", { class: "cut" }, venue?.name ?? ""));
    return;
  }
  const select = h("select", { "aria-label": "House", onchange: () => {
    store.selectVenue(/** @type {HTMLSelectElement} */ (select).value);
    feed.refreshVenue();
  } }, ...venues.map((v) => h("option", { value: v.id, selected: v.id === venue?.id }, v.name ?? v.id)));
  box.replaceChildren(select);
}

/** The hub's time at the house, and how fast a demo runs. */
function drawClock() {
  const now = store.clock.now();
  const box = byID("clock");
  setText(box, `${day(now, store.zone)}, ${clock(now, store.zone)}`);
  box.title = `Time at the house (${store.zone})`;
  const badge = byID("demo");
  badge.hidden = store.clock.speed === 1;
  setText(badge, `demo ×${number(store.clock.speed, Number.isInteger(store.clock.speed) ? 0 : 1)}`);
}

const CONNECTIONS = {
  connecting: ["Connecting", "wait"], live: ["Live", "good"], polling: ["Every 10 s", "warn"],
  offline: ["No hub", "bad"], locked: ["Locked", "warn"],
};

/** Whether what is on the page is fresh, and what to do if not. */
function drawConnection() {
  const { state, since, detail } = store.connection;
  const [text, tone] = CONNECTIONS[state];
  const pill = byID("connection");
  pill.className = `health ${tone}`;
  setText(pill, text);
  document.body.classList.toggle("old", state === "offline");
  byID("offline").hidden = state !== "offline";
  byID("locked").hidden = state !== "locked";
  byID("main").hidden = state === "locked" || (state === "offline" && !store.venues.length);
  setText(byID("offline-since"), `${detail || "The hub does not answer."} It has been away for ${age((Date.now() - since) / 1000)}.${
    store.devices.size ? " What you see is old." : ""}`);
}

/** What a person should mend at the hub itself. */
function drawHub() {
  const box = store.hub?.store;
  byID("trouble").hidden = !box || box.isWritable;
  if (!box || box.isWritable) return;
  const seconds = (store.clock.now() - Date.parse(box.failingSince)) / 1000;
  setText(byID("trouble-reason"), `${box.reason ?? "The reason is not known"}. It has been so for ${age(seconds)}.`);
}

/** What a person has read and hidden; something new shows all of it again. */
let hidden = "";

/** What the hub did or can't do that a person should know: a restored store, a backup that fails, a clock that can't be right. */
function drawNotices() {
  const notices = store.hub?.notices ?? [];
  const text = notices.join("\n");
  byID("notices").hidden = !text || text === hidden;
  if (byID("notices-list").dataset.text === text) return;
  byID("notices-list").dataset.text = text;
  byID("notices-list").replaceChildren(...notices.map((notice) => h("li", {}, sentence(notice))));
}

store.subscribe(["venue"], drawVenue);
store.subscribe(["hub"], drawNotices);
store.subscribe(["hub", "clock"], drawHub);
store.subscribe(["clock", "venue"], drawClock);
store.subscribe(["connection"], drawConnection);
setInterval(() => {
  store.changed("clock");
  store.changed("connection");
}, 1000);
byID("notices-hide").addEventListener("click", () => {
  hidden = store.hub?.notices?.join("\n") ?? "";
  drawNotices();
});
byID("unlock").addEventListener("click", () => signIn());

drawConnection();
await setUpSession(() => feed.restart());
feed.start();
