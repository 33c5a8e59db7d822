import HubKit
import ThreadKit

/// Solves what chargers share on a thread of its own, so that no tick and no other work waits for it.
actor CommonPlanner {
    private nonisolated let executor = ThreadExecutor(name: "planner")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    deinit { executor.stop() }

    /// The cheapest plans for all together; `nil` where none could be made in time.
    /// - Parameter seconds: real time that may be taken.
    func plans(_ work: JointCharging, within seconds: Double) -> [DeviceID: DevicePlan]? {
        work.plans(deadlineSeconds: seconds)
    }
}
