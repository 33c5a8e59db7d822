/** Numbers, money and times as text. Unknown is always a dash. */

const locale = navigator.languages?.length ? [...navigator.languages] : undefined;
/** What stands for an unknown value. */
export const UNKNOWN = "–";
const GAP = "\u00a0";

const known = (value) => typeof value === "number" && Number.isFinite(value);
const cache = new Map();

/** A number in the browser's locale with this many decimals. */
export function number(value, decimals = 0) {
  if (!known(value)) return UNKNOWN;
  if (!cache.has(decimals)) {
    cache.set(decimals, new Intl.NumberFormat(locale, {
      minimumFractionDigits: decimals, maximumFractionDigits: decimals, signDisplay: "negative",
    }));
  }
  return cache.get(decimals).format(value).replace("-", "−");
}

const unit = (value, decimals, name) => (known(value) ? number(value, decimals) + GAP + name : UNKNOWN);

/** Watts as W below one kilowatt, else kW. */
export function power(watts) {
  if (!known(watts)) return UNKNOWN;
  const size = Math.abs(watts);
  if (size < 999.5) return unit(Math.round(watts), 0, "W");
  return unit(watts / 1000, size < 9_995 ? 2 : 1, "kW");
}

/** Watt-hours as kWh. */
export function energy(wattHours) {
  if (!known(wattHours)) return UNKNOWN;
  const kWh = wattHours / 1000;
  return unit(kWh, Math.abs(kWh) < 9.995 ? 2 : Math.abs(kWh) < 999.95 ? 1 : 0, "kWh");
}

export const amps = (value) => unit(value, Number.isInteger(value) ? 0 : 1, "A");
export const celsius = (value) => unit(value, 1, "°C");
export const percent = (value) => unit(value, 0, "%");

/** Grams of CO₂, as kilograms from one on. */
export function grams(value) {
  return known(value) && Math.abs(value) >= 1000 ? unit(value / 1000, 1, "kg CO₂") : unit(value, 0, "g CO₂");
}
export const carbon = (value) => (known(value) ? `${number(value)}${GAP}g CO₂/kWh` : UNKNOWN);

/** An amount in a currency; a bare number when the currency is unknown. */
export function money(value, currency, decimals) {
  if (!known(value)) return UNKNOWN;
  try {
    return new Intl.NumberFormat(locale, {
      style: "currency", currency, minimumFractionDigits: decimals, maximumFractionDigits: decimals,
    }).format(value).replace("-", "−");
  } catch {
    return number(value, decimals ?? 2);
  }
}

/** A price per kWh with the decimals that tariffs use. */
export const price = (value, currency) => (known(value) ? `${money(value, currency, 3)}/kWh` : UNKNOWN);

/** Time of day in the venue's zone. */
export function clock(ms, zone, seconds = false) {
  if (!known(ms)) return UNKNOWN;
  return new Intl.DateTimeFormat(locale, {
    timeZone: zone, hour: "2-digit", minute: "2-digit", second: seconds ? "2-digit" : undefined,
  }).format(ms);
}

/** Weekday and date in the venue's zone. */
export function day(ms, zone) {
  return new Intl.DateTimeFormat("en-GB", { timeZone: zone, weekday: "short", day: "numeric", month: "short" }).format(ms);
}

/** A time with its weekday where it is not today. */
export function moment(iso, zone, now) {
  const ms = typeof iso === "number" ? iso : Date.parse(iso ?? "");
  if (!known(ms)) return UNKNOWN;
  const today = day(now, zone);
  return day(ms, zone) === today ? clock(ms, zone) : `${day(ms, zone)}, ${clock(ms, zone)}`;
}

/** An age in seconds, rounded to what a person says. */
export function age(seconds) {
  if (!known(seconds)) return UNKNOWN;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129_600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** A word for a rating: 0 is best. */
export function ratingWord(rating) {
  if (!known(rating)) return "unknown";
  return ["very good", "good", "fair", "poor", "very poor"][Math.min(4, Math.floor(Math.max(0, rating) * 5))];
}

/** `notYetReady` or `not_yet_ready` as words. */
export function words(text) {
  if (!text) return UNKNOWN;
  const spaced = String(text).replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ").toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** A reason as a sentence of its own. */
export const sentence = (text) => (text ? text.charAt(0).toUpperCase() + text.slice(1) : text);
