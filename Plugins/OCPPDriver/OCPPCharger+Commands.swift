import Foundation
import HubKit
import OCPP

extension OCPPCharger {
    func perform(_ command: DeviceCommand) async throws -> CommandReceipt {
        let outcome: CommandReceipt.Outcome
        switch command {
        case .limitCurrent(let amps): outcome = try await limit(amps)
        case .usePhases(let count):
            outcome = count == phases ? .unchanged : .refused(reason: "its phases can't be switched by the hub")
        case .setSetpoint, .shiftSetpoint, .offerSurplus, .limitPower, .reduce, .lock, .release, .battery:
            outcome = .refused(reason: "a charger takes current limits only")
        }
        return CommandReceipt(command, at: clock.now, outcome: outcome)
    }

    private func limit(_ amps: Double) async throws -> CommandReceipt.Outcome {
        guard amps.isFinite, amps >= 0 else { return .refused(reason: "a current is 0 or above") }
        guard amps == 0 || amps >= range.minimumAmps else {
            return .refused(reason: "no car charges below \(range.minimumAmps) A; use 0 to pause")
        }
        limits.want(range.settable(amps), at: clock.now)
        guard limits.isDue || isAstray else { return .unchanged }
        guard let session else {
            throw HubError(.connection, "the charger is not connected", retry: .transient)
        }
        // How it takes limits is known only then.
        await preparation?.value
        guard limits.isDue || isAstray else { return .unchanged }
        let outcome = try await write(to: session)
        if case .refused(let reason) = outcome { limits.complaint = reason }
        wake()
        return outcome
    }

    /// Writes the wanted limit again where the charger lost it, or does not keep to it.
    func reassert(_ session: ChargePointSession) async {
        await noteDisagreement(session)
        guard limits.isDue, limits.writing == 0, limits.repeating.take(at: clock.now) else { return }
        do {
            if case .refused(let reason) = try await write(to: session) { limits.complaint = reason }
        } catch {
            limits.complaint = "its limit could not be written again: \(plainWords(of: error))"
        }
    }

    /// A charger that offers more than it was told has forgotten it, or follows another profile.
    private func noteDisagreement(_ session: ChargePointSession) async {
        if doesAsTold == true { limits.disagreements = 0 }
        guard limits.writing == 0, isAstray, transaction != nil, let since = limits.writtenAt,
            clock.now.timeIntervalSince(since) > 5, limits.repeating.take(at: clock.now)
        else { return }
        limits.disagreements += 1
        if limits.disagreements == 1 { log.info("offers more than it was told, and is told again") }
        // The second time another profile must be in force.
        if limits.disagreements > 1, limits.way?.purpose == .transactionDefault {
            _ = try? await session.call(.clearProfiles(connector: connection.connector, .transaction))
        }
        // The pace was taken above, for both.
        do {
            _ = try await write(to: session, isRepeat: true)
        } catch {
            limits.complaint = "its limit could not be written again: \(plainWords(of: error))"
        }
    }

    /// Whether the charger has said, after it was told a limit, that it offers more.
    private var isAstray: Bool { doesAsTold == false }

    /// Whether the charger offers no more than it was told; nothing where it has not said so since.
    private var doesAsTold: Bool? {
        guard let written = limits.written, let since = limits.writtenAt, let offered = view.samples[.limitAmps],
            offered.at > since, clock.now.timeIntervalSince(offered.at) <= staleSeconds
        else { return nil }
        return offered.value <= written + 0.5
    }

    // MARK: - Writing

    private func write(to session: ChargePointSession, isRepeat: Bool = false) async throws -> CommandReceipt.Outcome {
        guard let amps = limits.wanted else { return .unchanged }
        // Until it is acknowledged nobody knows what the charger has.
        limits.forget()
        limits.writing += 1
        defer { limits.writing -= 1 }
        if limits.isSwitchOnly || !settings.mayHave("SmartCharging") {
            limits.takesNone()
            return try await switchCharging(amps, session)
        }
        var refusal = ""
        for way in ways {
            let status = try await status(of: way, amps, session)
            switch status {
            case "Accepted":
                let pace = limits.repeating
                limits.wrote(amps, by: way, at: clock.now)
                if isRepeat { limits.repeating = pace }
                return .applied
            case "NotSupported":
                limits.takesNone()
                return try await switchCharging(amps, session)
            default: refusal = status
            }
        }
        return .refused(reason: "the charger answers '\(refusal)' to a limit of \(amps) A")
    }

    private func status(
        of way: LimitState.Way, _ amps: Double, _ session: ChargePointSession
    ) async throws -> String {
        do {
            return try await session.status(of: .setLimit(limit(amps, way)))
        } catch let error as CallError {
            return error.retryClass == .permanent ? "NotSupported" : error.code.rawValue
        }
    }

    private func limit(_ amps: Double, _ way: LimitState.Way) -> CentralRequest.Limit {
        let value = way.unit == .amps ? amps : amps * 230 * Double(phases)
        var limit = CentralRequest.Limit(
            connector: connection.connector, limit: value, begins: clock.now.addingTimeInterval(-60))
        limit.purpose = way.purpose
        limit.unit = way.unit
        limit.stackLevel = settings.stackLevel
        if way.purpose == .transaction { limit.transaction = transaction?.id }
        return limit
    }

    /// The ways to say a limit, the most likely first.
    private var ways: [LimitState.Way] {
        let unit = settings.rateUnit
        var ways = [LimitState.Way(purpose: .transactionDefault, unit: unit ?? .amps)]
        if unit == nil { ways.append(.init(purpose: .transactionDefault, unit: .watts)) }
        if transaction != nil { ways.append(.init(purpose: .transaction, unit: unit ?? .amps)) }
        guard let known = limits.way, let index = ways.firstIndex(of: known) else { return ways }
        ways.remove(at: index)
        return [known] + ways
    }

    // MARK: - Transactions

    /// Begins a transaction where the hub wants a car to charge and nobody showed a card.
    func startWhereWanted(_ session: ChargePointSession) async {
        guard connection.startsRemotely, let wanted = limits.wanted, wanted > 0, transaction == nil,
            view.current?.status == .preparing, starting.take(at: clock.now)
        else { return }
        await start(session)
    }

    private func start(_ session: ChargePointSession) async {
        do {
            let status = try await session.status(of: .start(connector: connection.connector, idTag: "OFFPEAK"))
            log.info(status == "Accepted" ? "is to begin charging" : "answers '\(status)' to being started")
        } catch {
            log.info("could not be started: \(plainWords(of: error))")
        }
    }

    /// Switches charging on or off, for a charger that takes no limits.
    private func switchCharging(
        _ amps: Double, _ session: ChargePointSession
    ) async throws -> CommandReceipt.Outcome {
        if amps == 0, let transaction {
            let status = try await session.status(of: .stop(transaction: transaction.id))
            guard status == "Accepted" else {
                return .refused(reason: "the charger answers '\(status)' to being stopped")
            }
        } else if amps > 0, transaction == nil, let status = view.current?.status,
            [.preparing, .finishing, .suspendedByCharger].contains(status)
        {
            await start(session)
        }
        limits.wrote(amps, by: nil, at: clock.now)
        return .applied
    }
}
