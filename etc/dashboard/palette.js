/** Which colour class each device has, the same in every picture of the page. */

import { partOf } from "./store.js";

const NAMES = {
  grid: "Grid", solar: "Solar", battery: "Battery", house: "House", ev: "Charger", hvac: "Heating", load: "Load",
  meter: "Meter", other: "Other use",
};
const ICONS = {
  grid: "grid", solar: "solar", battery: "battery", house: "house", ev: "car", hvac: "heat", load: "plug",
  meter: "meter", other: "plug",
};

/** A plain word for a part of the house. */
export const partName = (part) => NAMES[part] ?? "Device";
/** The icon of a part of the house. */
export const partIcon = (part) => ICONS[part] ?? "plug";

/**
 * The class that colours each device: by what it is, and a second of its kind by another shade.
 * @param {import("./types.js").Device[]} devices @returns {Map<string, string>}
 */
export function colours(devices) {
  const seen = {};
  return new Map(devices.map((device) => {
    const part = partOf(device);
    const index = seen[part] = (seen[part] ?? 0) + 1;
    return [device.id, `c-${part}${index > 1 ? ` v${Math.min(index, 3)}` : ""}`];
  }));
}
