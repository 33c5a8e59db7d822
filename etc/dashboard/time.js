/** The hub's clock and the venue's wall time. The browser's own zone is never used. */

const formats = new Map();

/** The zone if the browser knows it, else UTC. */
export function knownZone(zone) {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return zone || "UTC";
  } catch {
    return "UTC";
  }
}

/** @param {number} ms @param {string} zone */
export function wallTime(ms, zone) {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit",
      hour: "2-digit", minute: "2-digit", second: "2-digit",
    });
    formats.set(zone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(ms).map((p) => [p.type, Number(p.value)]));
  return {
    year: parts.year, month: parts.month, day: parts.day,
    hour: parts.hour, minute: parts.minute, second: parts.second,
  };
}

/** The zone's offset from UTC at an instant, in milliseconds. */
function offset(ms, zone) {
  const w = wallTime(ms, zone);
  return Date.UTC(w.year, w.month - 1, w.day, w.hour, w.minute, w.second) - Math.floor(ms / 1000) * 1000;
}

/**
 * The instant of a wall time such as `2026-03-29T07:00` in a zone. A time that the spring change
 * skips becomes the instant one hour on; of the two in autumn it is the earlier.
 */
export function instantOf(wall, zone) {
  const utc = Date.parse(wall.length === 10 ? `${wall}T00:00Z` : `${wall}Z`);
  if (Number.isNaN(utc)) return null;
  const before = offset(utc - 86_400_000, zone);
  const after = offset(utc + 86_400_000, zone);
  for (const candidate of [utc - before, utc - after]) {
    if (candidate + offset(candidate, zone) === utc) return candidate;
  }
  return utc - before;
}

const two = (n) => String(n).padStart(2, "0");

/** The value of a `datetime-local` field for an instant. */
export function wallField(ms, zone) {
  const w = wallTime(ms, zone);
  return `${w.year}-${two(w.month)}-${two(w.day)}T${two(w.hour)}:${two(w.minute)}`;
}

/** The instant at which the venue's day began, `days` days on. */
export function dayStart(ms, zone, days = 0) {
  const w = wallTime(ms, zone);
  const date = new Date(Date.UTC(w.year, w.month - 1, w.day + days)).toISOString().slice(0, 10);
  return instantOf(date, zone);
}

/** Instants in `[start, end)` whose wall time is a full hour divisible by `step`. */
export function hourTicks(start, end, step, zone) {
  const quarter = 900_000;
  const ticks = [];
  for (let t = Math.ceil(start / quarter) * quarter; t < end; t += quarter) {
    const w = wallTime(t, zone);
    if (w.minute === 0 && w.hour % step === 0) ticks.push({ at: t, midnight: w.hour === 0 });
  }
  return ticks;
}

/** The hub's clock: a demo's runs faster than ours, so it is carried on with its speed between two `clock` events. */
export class HubClock {
  #anchor = Date.now();
  #seen = performance.now();
  speed = 1;

  /** @param {string} now the hub's time @param {number} speed hub seconds per real second */
  set(now, speed = 1) {
    const at = Date.parse(now);
    if (Number.isNaN(at)) return;
    this.#anchor = at;
    this.#seen = performance.now();
    this.speed = Number.isFinite(speed) && speed > 0 ? speed : 1;
  }

  /** The hub's time in milliseconds. */
  now() {
    return this.#anchor + (performance.now() - this.#seen) * this.speed;
  }

  /** How long ago something was in the viewer's own seconds; null when unknown. */
  age(iso) {
    const at = Date.parse(iso ?? "");
    return Number.isNaN(at) ? null : Math.max(0, (this.now() - at) / 1000 / this.speed);
  }
}
