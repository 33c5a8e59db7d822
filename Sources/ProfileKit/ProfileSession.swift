package import Foundation
package import HubKit
package import Modbus

/// A device of a profile on a Modbus connection: reads its points in blocks and writes its commands.
package actor ProfileSession {
    /// The profile.
    package nonisolated let profile: DeviceProfile
    private let bus: ModbusConnection
    private let unit: UInt8
    /// The registers it reads: those of the profile, and those where a SunSpec device has its values.
    var points: [ProfilePoint]
    private var blocks: [ReadBlock]
    /// The SunSpec values that the device does not have; nothing before its models were looked for.
    private var absent: [String]?
    private var refusals: [String: Int] = [:]
    private var setAside: Set<String> = []
    private var lastCounters: [Quantity: Sample] = [:]
    private var plausibility: Plausibility

    /// Everything one round of reading brought.
    package struct Values: Sendable {
        /// The values by point name; absent where not available.
        package var points: [String: PointValue] = [:]
        /// The raw words by point name.
        package var words: [String: [UInt16]] = [:]
        /// What is no value although the device sent it, in words by point name.
        package var doubts: [String: String] = [:]
        /// What is wrong although the device answered.
        package var complaint: String?
    }

    /// Opens nothing yet.
    /// - Parameters:
    ///   - profile: the profile.
    ///   - bus: the connection.
    ///   - unit: the unit the device answers to.
    ///   - ranges: what its quantities can be; by what the profile says where nothing else is known.
    package init(profile: DeviceProfile, bus: ModbusConnection, unit: UInt8, ranges: PlausibleRanges? = nil) {
        self.profile = profile
        self.bus = bus
        self.unit = unit
        plausibility = Plausibility(ranges ?? PlausibleRanges(profile: profile))
        points = profile.points
        blocks = ReadPlan.blocks(for: profile.points, transport: profile.transport)
    }

    /// Reads every point.
    ///
    /// A register that the device refuses three times in a row is set aside and said so; the others live on (D-6). It
    /// is asked for again after the device was away, since a device that starts up refuses more than it should.
    /// - Throws: `ModbusError` when the device does not answer, `HubError` when it refuses everything.
    package func read() async throws -> Values {
        var values = Values()
        do {
            try await findSunSpecPoints()
            for block in blocks { try await read(block, into: &values) }
            guard !values.words.isEmpty else {
                throw HubError(
                    .device,
                    "the device refuses every register of \(profile.name); check its profile and unit number",
                    retry: .needsPerson)
            }
        } catch {
            forgetRefusals()
            // It may come back with another firmware, and other models.
            absent = nil
            throw error
        }
        doubtAll(&values)
        for sum in profile.sums {
            // A sum of what can't be is none, also where it leaves out what is not available.
            guard !sum.terms.flatMap(\.factors).contains(where: { values.doubts[$0] != nil }) else { continue }
            values.points[sum.name] = sum.value(values.points).map { .number($0) }
        }
        let missing = setAside.union(absent ?? [])
        if !missing.isEmpty {
            let names = missing.sorted().joined(separator: ", ")
            values.complaint = "the device refuses to give \(names); check that the profile fits its model and firmware"
        }
        return values
    }

    /// Walks the models of a SunSpec device, once for each time that it came.
    private func findSunSpecPoints() async throws {
        guard absent == nil, !profile.sunspecPoints.isEmpty else { return }
        let (bus, unit) = (bus, unit)
        let chain = try await SunSpecChain.find { address, count in
            try await bus.read(.holding, unit: unit, address: address, count: count)
        }
        guard let chain else {
            throw HubError(
                .device,
                "the device has no mark of SunSpec at 40000, 50000 or 0; switch SunSpec on in its settings, and check its unit number",
                retry: .needsPerson)
        }
        var found = profile.points
        var missing: [String] = []
        for point in profile.sunspecPoints {
            if let registers = point.registers(in: chain, profile.sunspecModels) {
                found += registers.filter { register in !found.contains { $0.name == register.name } }
            } else if !point.isOptional {
                missing.append(point.template.name)
            }
        }
        points = found
        blocks = ReadPlan.blocks(for: points, transport: profile.transport)
        absent = missing
    }

    private func read(_ block: ReadBlock, into values: inout Values) async throws {
        do {
            let words = try await raw(block)
            for index in block.points {
                let point = points[index]
                refusals[point.name] = nil
                setAside.remove(point.name)
                take(point, from: words, of: block, into: &values)
            }
        } catch ModbusError.exception(let code) where code == .illegalDataAddress {
            if block.points.count > 1 {
                // The device gives no such block; it may still give each value by itself.
                let singles = ReadPlan.singles(of: block, in: points)
                blocks = blocks.flatMap { $0 == block ? singles : [$0] }
                for single in singles { try await read(single, into: &values) }
            } else if let name = block.points.first.map({ points[$0].name }) {
                refusals[name, default: 0] += 1
                if refusals[name, default: 0] >= 3 {
                    setAside.insert(name)
                    blocks.removeAll { $0 == block }
                }
            }
        }
    }

    /// Asks for everything again; what was set aside stays named until the device gives it.
    private func forgetRefusals() {
        guard !refusals.isEmpty else { return }
        refusals.removeAll()
        blocks = ReadPlan.blocks(for: points, transport: profile.transport)
    }

    private func raw(_ block: ReadBlock) async throws -> [UInt16] {
        switch block.table {
        case .holding: try await bus.read(.holding, unit: unit, address: block.address, count: block.count)
        case .input: try await bus.read(.input, unit: unit, address: block.address, count: block.count)
        case .coil: try await bus.readCoils(unit: unit, address: block.address, count: block.count).map { $0 ? 1 : 0 }
        case .discrete:
            try await bus.readDiscreteInputs(unit: unit, address: block.address, count: block.count).map { $0 ? 1 : 0 }
        }
    }

    private func take(_ point: ProfilePoint, from words: [UInt16], of block: ReadBlock, into values: inout Values) {
        guard let own = part(of: point, from: words, of: block) else { return }
        values.words[point.name] = own
        if let doubt = RegisterCoding.doubt(of: own, as: point) {
            values.doubts[point.name] = doubt
            return
        }
        let scale = point.scalePoint.flatMap { register($0) }
        let exponent = scale.flatMap { scale in
            part(of: scale, from: words, of: block).flatMap { RegisterCoding.value(of: $0, as: scale)?.number }
        }
        values.points[point.name] = RegisterCoding.value(of: own, as: point, exponent: exponent)
    }

    /// A device that answers every register with ones measures nothing, also where ones could be a value.
    private func doubtAll(_ values: inout Values) {
        let open = points.filter { point in
            guard point.type != .bit, let words = values.words[point.name] else { return false }
            return RegisterCoding.value(of: words, as: point) != nil || values.doubts[point.name] != nil
        }
        guard open.count >= 3, open.allSatisfy({ values.words[$0.name]?.allSatisfy { $0 == 0xFFFF } == true }) else {
            return
        }
        for point in open {
            values.points[point.name] = nil
            values.doubts[point.name] = "reads FFFF as every register of the device does"
        }
    }

    private func register(_ name: String) -> ProfilePoint? { points.first { $0.name == name } }

    private func part(of point: ProfilePoint, from words: [UInt16], of block: ReadBlock) -> [UInt16]? {
        let start = Int(point.place.address) - Int(block.address)
        guard start >= 0, start + point.type.words <= words.count else { return nil }
        return Array(words[start..<(start + point.type.words)])
    }

    /// Reads one point and forgets it: for a watchdog that any request feeds.
    /// - Throws: `ModbusError` when the device does not answer.
    package func touch() async throws {
        guard let block = blocks.first, let index = block.points.first else { return }
        let single = ReadBlock(table: block.table, address: block.address, count: block.count, points: [index])
        _ = try await raw(single)
    }

    /// Carries out the writes of a command, in order.
    /// - Parameters:
    ///   - command: the profile's command.
    ///   - argument: amps or °C, where the command takes one.
    ///   - values: the points last read, for writes that repeat one.
    /// - Throws: `HubError` when the profile has no such command or the value does not fit, `ModbusError` otherwise.
    package func perform(_ command: ProfileCommand, argument: Double = 0, values: [String: PointValue] = [:])
        async throws
    {
        guard let writes = profile.commands[command] else {
            throw HubError(.refused, "the profile \(profile.name) does not say how to do '\(command.rawValue)'")
        }
        try await perform(writes, argument: argument, values: values)
    }

    /// What a command repeats of the device's own values: those known, or read now where one is not known yet.
    /// - Throws: `ModbusError` when the device does not answer.
    package func values(
        for command: ProfileCommand, known: [String: PointValue]
    ) async throws -> [String: PointValue] {
        let needed = (profile.commands[command] ?? []).compactMap { write in
            if case .point(let name) = write.value, known[name] == nil { name } else { nil }
        }
        // Only these, and by blocks of their own: a round of reading may go on meanwhile.
        let reads = points.indices.filter { needed.contains(points[$0].name) }
            .map { (point: points[$0], block: ReadPlan.single($0, in: points)) }
        var values = Values(points: known)
        for read in reads { take(read.point, from: try await raw(read.block), of: read.block, into: &values) }
        return values.points
    }

    /// Carries out writes, in order.
    /// - Throws: `HubError` when a value does not fit, `ModbusError` otherwise.
    package func perform(_ writes: [ProfileWrite], argument: Double = 0, values: [String: PointValue] = [:])
        async throws
    {
        // All or nothing: a command must not stop half way at a value that never fitted.
        let words = try writes.map { try self.words(of: $0, argument: argument, values: values) }
        for (write, words) in zip(writes, words) { try await send(words, to: write) }
    }

    private func words(
        of write: ProfileWrite, argument: Double, values: [String: PointValue]
    ) throws(HubError) -> [UInt16] {
        let place = "\(write.place.table.rawValue) \(write.place.address) of \(profile.name)"
        let value = value(of: write, argument: argument, values: values)
        if case .constant = write.value {
            // What is always the same is a raw number, and has no range.
        } else if let value, let allowed = write.allowed, !allowed.contains(value) {
            throw HubError(
                .refused, "\(place) takes \(allowed.lowerBound) to \(allowed.upperBound), not \(value)")
        }
        guard let value, let words = RegisterCoding.words(for: value, as: write) else {
            throw HubError(.refused, "there is no value that fits \(place)")
        }
        return words
    }

    private func value(of write: ProfileWrite, argument: Double, values: [String: PointValue]) -> Double? {
        switch write.value {
        case .constant(let constant): constant
        case .argument: argument
        case .point(let name): values[name]?.number
        }
    }

    private func send(_ words: [UInt16], to write: ProfileWrite) async throws {
        let address = write.place.address
        if write.place.table == .coil {
            try await bus.writeCoil(unit: unit, address: address, value: words.first != 0)
        } else if words.count == 1, !write.multiple, let word = words.first {
            try await bus.write(unit: unit, address: address, value: word)
        } else {
            try await bus.write(unit: unit, address: address, values: words)
        }
    }

    /// Turns values into a reading: quantities, states, and counters that keep their last value while unavailable.
    ///
    /// What can't be is left out and complained of.
    /// - Parameters:
    ///   - values: what was read.
    ///   - now: when.
    package func result(_ values: Values, at now: Date) -> PollLoop.Result {
        var reading = DeviceReading(at: now)
        var doubts: [Quantity: String] = [:]
        var complaints = [values.complaint].compactMap(\.self)
        for point in points {
            let doubt = values.doubts[point.name]
            if let quantity = point.quantity {
                take(values, point.name, quantity, isEstimated: point.isEstimated, into: &reading)
                doubts[quantity] = doubt.map { "\(quantity.rawValue) \($0)" }
            } else if let doubt {
                complaints.append("\(point.name) \(doubt)")
            }
        }
        for sum in profile.sums {
            let factors = sum.terms.flatMap(\.factors).compactMap { register($0) }
            let isEstimated = sum.isEstimated || factors.contains(where: \.isEstimated)
            take(values, sum.name, sum.quantity, isEstimated: isEstimated, into: &reading)
        }
        if let lies = plausibility.judge(&reading, doubts: doubts) { complaints.append(lies) }
        keepCounters(&reading)
        reading.plug = profile.states.plug.state(values.points)
        reading.charging = profile.states.charging.state(values.points)
        reading.hvacMode = profile.states.mode.state(values.points)
        reading.reduce = profile.states.reduce.state(values.points)
        return PollLoop.Result(reading, complaint: complaints.isEmpty ? nil : complaints.joined(separator: "; "))
    }

    /// A counter that is not available is not zero; it is what it was (field case D-4).
    private func keepCounters(_ reading: inout DeviceReading) {
        for quantity in Quantity.allCases where quantity.isCounter {
            if let sample = reading.samples[quantity] { lastCounters[quantity] = sample }
            reading.samples[quantity] = reading.samples[quantity] ?? lastCounters[quantity]
        }
    }

    private func take(
        _ values: Values, _ name: String, _ quantity: Quantity?, isEstimated: Bool, into reading: inout DeviceReading
    ) {
        guard let quantity else { return }
        let quality: Quality = isEstimated ? .estimated : .measured
        reading.samples[quantity] = values.points[name]?.number.flatMap {
            Sample($0, at: reading.at, quality: quality)
        }
    }
}
