/// A span of powers a load can draw; `low == high` is a load that is only on or off.
package struct PowerRange: Sendable, Hashable {
    /// Least power in kilowatts.
    package var lowKW: Double
    /// Most power in kilowatts.
    package var highKW: Double

    /// Creates a range.
    package init(_ lowKW: Double, _ highKW: Double) {
        self.lowKW = lowKW
        self.highKW = highKW
    }
}

extension PlanningProblem {
    /// A home battery.
    package struct Battery: Sendable, Equatable {
        /// Most energy stored.
        package var capacityKWh: Double
        /// Least energy stored.
        package var minKWh: Double
        /// Energy stored at the start of the horizon.
        package var initialKWh: Double
        /// Least energy stored at the end of the horizon.
        package var finalKWh: Double
        /// Most power into the battery, at the meter side.
        package var maxChargeKW: Double
        /// Most power out of the battery, at the meter side.
        package var maxDischargeKW: Double
        /// Stored per metered energy when charging.
        package var chargeEfficiency: Double
        /// Metered per stored energy when discharging.
        package var dischargeEfficiency: Double
        /// Currency per kilowatt-hour discharged.
        package var wearPerKWh: Double

        /// Creates a battery.
        package init(
            capacityKWh: Double, minKWh: Double = 0, initialKWh: Double, finalKWh: Double, maxChargeKW: Double,
            maxDischargeKW: Double, chargeEfficiency: Double = 1, dischargeEfficiency: Double = 1,
            wearPerKWh: Double = 0
        ) {
            self.capacityKWh = capacityKWh
            self.minKWh = minKWh
            self.initialKWh = initialKWh
            self.finalKWh = finalKWh
            self.maxChargeKW = maxChargeKW
            self.maxDischargeKW = maxDischargeKW
            self.chargeEfficiency = chargeEfficiency
            self.dischargeEfficiency = dischargeEfficiency
            self.wearPerKWh = wearPerKWh
        }
    }

    /// A programme of fixed powers that runs once without a break.
    package struct Appliance: Sendable, Equatable {
        /// First second at which it may start.
        package var earliestStart: Int
        /// Second by which it must have ended.
        package var latestEnd: Int
        /// The parts of the programme, in order.
        package var phases: [Phase]

        /// Creates a programme.
        package init(earliestStart: Int, latestEnd: Int, phases: [Phase]) {
            self.earliestStart = earliestStart
            self.latestEnd = latestEnd
            self.phases = phases
        }

        /// A part of a programme at one power.
        package struct Phase: Sendable, Equatable {
            /// Length in seconds.
            package var seconds: Int
            /// Power drawn.
            package var powerKW: Double

            /// Creates a phase.
            package init(seconds: Int, powerKW: Double) {
                self.seconds = seconds
                self.powerKW = powerKW
            }
        }

        /// Length of the whole programme in seconds.
        package var totalSeconds: Int { phases.reduce(0) { $0 + $1.seconds } }
    }
}
