/**
 * The shapes the hub sends, as JSDoc types for editors. No code runs here.
 * Every field may be absent: absent or null means unknown, never zero.
 * Powers are watts with import positive and export negative; times are ISO 8601 with offset.
 *
 * @typedef {{state?: string, since?: string, reason?: string}} Health
 *
 * @typedef {{at?: string, powerWatts?: number, importWattHours?: number, exportWattHours?: number,
 *   currentAmps?: number[], plug?: string, charging?: string, limitAmps?: number,
 *   stateOfCharge?: number, sessionEnergyWattHours?: number, roomCelsius?: number,
 *   outdoorCelsius?: number, setpointCelsius?: number, stage?: number, hvacMode?: string,
 *   reduce?: string}} Reading
 *
 * @typedef {{energyWattHours?: number, stateOfCharge?: number, readyBy?: string, minimumAmps?: number,
 *   setpointCelsius?: number, comfortBandKelvin?: number}} Goal
 *
 * @typedef {{start: string, end: string, powerWatts?: number}} PlanInterval
 *
 * @typedef {{deviceID?: string, intervals?: PlanInterval[], energyWattHours?: number, cost?: number,
 *   currency?: string, gramsCO2?: number, reason?: string}} DevicePlan
 *
 * @typedef {{id: string, name?: string, kind?: string, driver?: string, profile?: string,
 *   venueID?: string, role?: string, health?: Health, reading?: Reading, goal?: Goal, limit?: {pricePerKWh: number}, reason?: string, mode?: string,
 *   plan?: DevicePlan}} Device
 *
 * @typedef {{id: string, name?: string, timeZone?: string, currency?: string,
 *   presence?: "home"|"away"}} Venue
 *
 * @typedef {{start: string, end: string, rating: number, pricePerKWh?: number,
 *   gramsCO2PerKWh?: number}} GuidanceValue
 *
 * @typedef {{start: number, end: number, rating: number, price: number|null,
 *   carbon: number|null}} Slot  A guidance value with its times in milliseconds.
 *
 * @typedef {{guidanceToken?: string, energyVenueID?: string, action?: string, issuedAt?: string,
 *   interval?: {start: string, end: string}, options?: string[], values?: GuidanceValue[]}} Guidance
 *
 * @typedef {{id?: string, timestamp: string, deviceID?: string, device?: {id?: string, name?: string},
 *   session?: {id?: string, state?: string, cost?: number, currency?: string,
 *   guidanceState?: {wasFollowingGuidance?: boolean, guidanceToken?: string}},
 *   measurement?: {stateOfCharge?: number, direction?: string, powerWatts?: number,
 *   energyWattHours?: number, stage?: number}}} LoadEvent
 *
 * @typedef {{name: string, depth: number, delivered: number, oldestWaiting?: string, failures: number,
 *   isBroken: boolean, nextAttempt?: string, lastError?: string, deadLetters: number}} Sink
 */
export {};
