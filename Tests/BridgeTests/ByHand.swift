import EnergyKit
import Foundation
import HubKit
import ThreadKit

/// A device that takes every command and tells the test.
final class DeviceByHand: Device {
    let capabilities: DeviceCapabilities
    /// Each command, as it is carried out.
    let commands: AsyncStream<DeviceCommand>
    private let arrival: AsyncStream<DeviceCommand>.Continuation
    private let taken = Locked<[DeviceCommand]>([])

    init(capabilities: DeviceCapabilities) {
        self.capabilities = capabilities
        (commands, arrival) = AsyncStream.makeStream(of: DeviceCommand.self)
    }

    /// Every command so far.
    var performed: [DeviceCommand] { taken.current }

    func run(_ reporter: DeviceReporter) async {}

    func perform(_ command: DeviceCommand) async throws -> CommandReceipt {
        taken.withLock { $0.append(command) }
        arrival.yield(command)
        return CommandReceipt(command, at: Date(timeIntervalSince1970: 0), outcome: .applied)
    }

    func inspect() async throws -> [InspectedPoint] { [] }
}

/// Guidance that a test issues, or refuses.
final class GuidanceByHand: GuidanceProviding {
    private typealias Continuation = AsyncThrowingStream<ElectricityGuidance, any Error>.Continuation

    private struct State {
        var current: [ElectricityGuidance.SuggestedAction: ElectricityGuidance] = [:]
        var listeners: [(action: ElectricityGuidance.SuggestedAction, continuation: Continuation)] = []
        var isRefused = false
    }

    private let state = Locked(State())

    /// Gives out guidance, to those who listen too.
    func issue(_ guidance: ElectricityGuidance) {
        let listeners = state.withLock { state in
            state.isRefused = false
            state.current[guidance.suggestedAction] = guidance
            return state.listeners.filter { $0.action == guidance.suggestedAction }
        }
        for listener in listeners { listener.continuation.yield(guidance) }
    }

    /// Refuses whoever asks until the next guidance is issued.
    func refuse() { state.withLock { $0.isRefused = true } }

    func guidance(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) async throws -> ElectricityGuidance {
        guard let guidance = state.withLock({ $0.current[action] }) else {
            throw EnergyKitFailure(.guidanceUnavailable)
        }
        return guidance
    }

    func updates(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) -> AsyncThrowingStream<ElectricityGuidance, any Error> {
        AsyncThrowingStream { continuation in
            let (isRefused, current) = state.withLock { state in
                if !state.isRefused { state.listeners.append((action, continuation)) }
                return (state.isRefused, state.current[action])
            }
            if isRefused {
                continuation.finish(throwing: EnergyKitFailure(.guidanceUnavailable))
            } else if let current {
                continuation.yield(current)
            }
        }
    }
}

/// Two rated hours from `start`, of which the second has no price.
func guidance(
    _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, from start: Date, firstRating: Double = 0.25
) -> ElectricityGuidance {
    let values = [
        ElectricityGuidance.Value(
            interval: DateInterval(start: start, duration: 3600), rating: firstRating, pricePerKWh: 0.3,
            gramsCO2PerKWh: 120),
        ElectricityGuidance.Value(
            interval: DateInterval(start: start.addingTimeInterval(3600), duration: 3600), rating: 0.75,
            pricePerKWh: nil, gramsCO2PerKWh: 480),
    ]
    return ElectricityGuidance(
        guidanceToken: UUID(), energyVenueID: venue, suggestedAction: action, issuedAt: start,
        interval: DateInterval(start: start, duration: 7200), options: [.locationHasRatePlan], values: values)
}
