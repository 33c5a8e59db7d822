import Foundation
package import HubKit
package import Modbus

/// Finds out what answers at a Modbus address: which units, what SunSpec says of them, and which profiles fit.
///
/// It only ever reads.
package struct ModbusProbe: Sendable {
    /// What is known of one unit.
    package struct Unit: Sendable {
        /// Its number.
        package var unit: UInt8
        /// What it says of itself, where it speaks SunSpec.
        package var identity: SunSpecIdentity?
        /// The profiles that fit, the best first.
        package var findings: [Finding] = []
    }

    /// A profile that fits.
    package struct Finding: Sendable {
        /// The profile, with its options chosen.
        package var profile: DeviceProfile
        /// The options that make it fit.
        package var options: [String]
        /// How much speaks for it; only good for comparing.
        package var score: Double
        /// What it reads.
        package var points: [InspectedPoint]
    }

    /// How patient it is.
    package struct Patience: Sendable {
        /// How long a unit may take to give a sign of life.
        package var sign = Duration.seconds(1)
        /// How long an answer may take.
        package var answer = Duration.seconds(2)
        /// What a device may need after it was connected to.
        package var connect = Duration.seconds(1)
        /// The pause between two requests.
        package var pause = Duration.milliseconds(20)

        /// As real devices need it.
        package init() {}
    }

    let library: ProfileLibrary
    let candidates: [DeviceProfile]
    let clock: any HubClock
    private let transport: ModbusTransport
    private let patience: Patience

    /// Connects to nothing yet.
    /// - Parameters:
    ///   - transport: where to look.
    ///   - library: the profiles to compare with.
    ///   - clock: the hub's time.
    ///   - patience: how patient to be.
    package init(
        _ transport: ModbusTransport, library: ProfileLibrary, clock: any HubClock, patience: Patience = Patience()
    ) {
        self.transport = transport
        self.library = library
        self.clock = clock
        self.patience = patience
        candidates = library.all.filter { $0.link == .modbus }
    }

    /// The numbers that devices have by themselves, the most usual first.
    package var usualUnits: [UInt8] {
        let own = Dictionary(grouping: candidates, by: \.transport.unit).mapValues(\.count)
        return Set(own.keys).union([1, 255]).sorted { (-(own[$0] ?? 0), $0) < (-(own[$1] ?? 0), $1) }
    }

    /// Looks at one unit, or for all that devices usually have.
    /// - Parameters:
    ///   - only: the unit, where it is known.
    ///   - found: told of each unit that answers, before it is looked at closer.
    /// - Throws: `ModbusError` when nothing can be connected to.
    package func run(only: UInt8? = nil, found: (UInt8) -> Void = { _ in }) async throws -> [Unit] {
        let asked = only.map { [$0] } ?? usualUnits
        let scan = bus(patience.sign, retries: 0)
        var alive: [UInt8] = []
        for unit in asked {
            if try await isThere(unit, scan) { alive.append(unit) }
        }
        // Many devices take one connection at a time.
        await scan.close()
        // A device that answers to every number does not look at it; its profile knows which it should be.
        let ignoresUnit = only == nil && alive.count == asked.count
        let bus = bus(patience.answer, retries: 1)
        var units: [Unit] = []
        for number in alive {
            found(number)
            units.append(try await look(at: number, bus, ownOnly: ignoresUnit))
        }
        await bus.close()
        return units.filter { !ignoresUnit || !$0.findings.isEmpty }
    }

    private func bus(_ timeout: Duration, retries: Int) -> ModbusConnection {
        ModbusConnection(
            transport,
            settings: ModbusSettings(
                responseTimeout: timeout, connectTimeout: patience.answer, requestDelay: patience.pause,
                connectDelay: patience.connect, retries: retries))
    }

    // MARK: - Units

    /// Whether a unit gives any sign of life; one that refuses is there.
    private func isThere(_ unit: UInt8, _ bus: ModbusConnection) async throws -> Bool {
        let own = candidates.first { $0.transport.unit == unit && !$0.points.isEmpty }?.points.first?.place
        for place in [own, RegisterPlace(.holding, 0)].compactMap(\.self) {
            switch try await ask(bus, unit, place, 1) {
            case .words: return true
            // A gateway says of a unit behind it that it is not there.
            case .refused(let exception): return ![.gatewayPathUnavailable, .gatewayTargetFailed].contains(exception)
            case .silence: continue
            }
        }
        return false
    }

    enum Answer {
        case words([UInt16])
        case refused(ModbusException)
        case silence
    }

    func ask(
        _ bus: ModbusConnection, _ unit: UInt8, _ place: RegisterPlace, _ count: Int
    ) async throws(ModbusError) -> Answer {
        let address = place.address
        do throws(ModbusError) {
            switch place.table {
            case .holding:
                return .words(try await bus.read(.holding, unit: unit, address: address, count: count))
            case .input:
                return .words(try await bus.read(.input, unit: unit, address: address, count: count))
            case .coil:
                return .words(try await bus.readCoils(unit: unit, address: address, count: count).map { $0 ? 1 : 0 })
            case .discrete:
                return .words(
                    try await bus.readDiscreteInputs(unit: unit, address: address, count: count).map { $0 ? 1 : 0 })
            }
        } catch {
            switch error {
            case .exception(let exception): return .refused(exception)
            case .cannotConnect, .cancelled: throw error
            default: return .silence
            }
        }
    }

    // MARK: - Profiles

    private func look(at number: UInt8, _ bus: ModbusConnection, ownOnly: Bool) async throws -> Unit {
        var unit = Unit(unit: number)
        let chain = try? await SunSpecChain.find { address, count in
            try await bus.read(.holding, unit: number, address: address, count: count)
        }
        if let chain {
            unit.identity = try? await SunSpecIdentity.read(chain) { address, count in
                try await bus.read(.holding, unit: number, address: address, count: count)
            }
        }
        for profile in candidates where !ownOnly || profile.transport.unit == number {
            if !profile.sunspecPoints.isEmpty, chain == nil { continue }
            if let finding = await finding(profile, number, bus, unit.identity) { unit.findings.append(finding) }
        }
        unit.findings.sort { ($1.score, $0.profile.name) < ($0.score, $1.profile.name) }
        return unit
    }

    /// What a profile reads, as it is or with one of its options; nothing where it does not fit.
    private func finding(
        _ profile: DeviceProfile, _ unit: UInt8, _ bus: ModbusConnection, _ identity: SunSpecIdentity?
    ) async -> Finding? {
        var best: Finding?
        for options in [[]] + profile.options.map({ [$0.name] }) {
            guard let chosen = try? library.profile(profile.name, options: options),
                let finding = try? await reading(chosen, options, unit, bus, identity)
            else { continue }
            let isProven: Bool? = chosen.canDoMore(than: profile) ? finding.proves(chosen, beside: profile) : nil
            switch isProven {
            // What a device can do shows in no other value.
            case false?: continue
            case true? where finding.score >= best?.score ?? 0: best = finding
            // An option has to be better to be worth naming.
            default: if finding.score > best?.score ?? 0 { best = finding }
            }
        }
        return best
    }

    private func reading(
        _ profile: DeviceProfile, _ options: [String], _ unit: UInt8, _ bus: ModbusConnection,
        _ identity: SunSpecIdentity?
    ) async throws -> Finding? {
        guard try await answers(profile, unit, bus) else { return nil }
        let session = ProfileSession(profile: profile, bus: bus, unit: unit)
        let values = try await session.read()
        let result = await session.result(values, at: clock.now)
        // A register that is refused is a complaint and no lie.
        guard values.doubts.isEmpty, result.complaint == values.complaint else { return nil }
        let all = await session.wire.points()
        let evidence = ProbeEvidence(profile: profile, identity: identity)
        guard let score = evidence.score(result.reading, known: values.words.count, of: all.count) else { return nil }
        return Finding(
            profile: profile, options: options, score: score, points: await session.inspected(values))
    }

    /// Whether a unit gives most of a profile's registers; asked for by whole blocks, to be soon done with the many that
    /// are not the right one.
    private func answers(_ profile: DeviceProfile, _ unit: UInt8, _ bus: ModbusConnection) async throws -> Bool {
        var missing = 0
        for block in ReadPlan.blocks(for: profile.points, transport: profile.transport) {
            let place = RegisterPlace(block.table, block.address)
            switch try await ask(bus, unit, place, block.count) {
            case .words: break
            case .silence: return false
            case .refused:
                // It may give no such block, and still each value by itself.
                let first = block.points.first.map { ReadPlan.single($0, in: profile.points) }
                guard let first, case .words = try await ask(bus, unit, place, first.count) else {
                    missing += block.points.count
                    break
                }
            }
            guard missing * 5 <= profile.points.count * 2 else { return false }
        }
        return true
    }
}

extension DeviceProfile {
    /// Whether devices of this profile take commands that those of another don't, such as to switch phases.
    fileprivate func canDoMore(than other: DeviceProfile) -> Bool {
        !Set(commands.keys).isSubset(of: other.commands.keys) || charger?.phases != other.charger?.phases
    }
}

extension ModbusProbe.Finding {
    /// Whether a register that only this profile reads has one of the values that the profile demands of it.
    ///
    /// A finding has no value outside of what its profile demands, so that one that was read is one of them.
    fileprivate func proves(_ profile: DeviceProfile, beside other: DeviceProfile) -> Bool {
        profile.points.contains { point in
            point.valid != nil && other.point(point.name) == nil
                && points.contains { $0.name == point.name && $0.value != nil }
        }
    }
}
