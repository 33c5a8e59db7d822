import Control
import Foundation
import HubKit

/// What a device's state says, without the times at which a reading was taken and a plan was made: where this has not
/// changed there is nothing new to tell.
struct DeviceNews: Equatable {
    private var values: [Quantity: Double] = [:]
    private var estimated: Set<Quantity> = []
    private let plug: PlugState?
    private let charging: ChargingState?
    private let hvacMode: HVACMode?
    private let reduce: ReduceState?
    private let health: DeviceHealth.State
    private let mode: DeviceMode?
    private let goal: DeviceGoal?
    private let limit: PriceLimit?
    private let reason: String?
    private let plan: DevicePlan?

    /// Takes what there is to tell of a device.
    init(_ device: DeviceState, plan: DevicePlan?) {
        let reading = device.reading
        for (quantity, sample) in reading?.samples ?? [:] {
            values[quantity] = sample.value
            if sample.quality != .measured { estimated.insert(quantity) }
        }
        (plug, charging) = (reading?.plug, reading?.charging)
        (hvacMode, reduce) = (reading?.hvacMode, reading?.reduce)
        health = device.health.state
        (mode, goal, limit, reason) = (device.mode, device.goal, device.limit, device.reason)
        var timeless = plan
        timeless?.computedAt = .distantPast
        self.plan = timeless
    }
}
