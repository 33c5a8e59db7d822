package import Foundation
package import HubKit
package import Modbus

/// A device of a profile on a Modbus connection: reads its points in blocks and writes its commands.
package actor ProfileSession {
    /// The profile.
    package nonisolated let profile: DeviceProfile
    private let bus: ModbusConnection
    private let unit: UInt8
    private var blocks: [ReadBlock]
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
            for block in blocks { try await read(block, into: &values) }
            guard !values.words.isEmpty else {
                throw HubError(
                    .device,
                    "the device refuses every register of \(profile.name); check its profile and unit number",
                    retry: .needsPerson)
            }
        } catch {
            forgetRefusals()
            throw error
        }
        doubtAll(&values)
        if !setAside.isEmpty {
            let names = setAside.sorted().joined(separator: ", ")
            values.complaint = "the device refuses to give \(names); check that the profile fits its model and firmware"
        }
        return values
    }

    private func read(_ block: ReadBlock, into values: inout Values) async throws {
        do {
            let words = try await raw(block)
            for index in block.points {
                let point = profile.points[index]
                refusals[point.name] = nil
                setAside.remove(point.name)
                take(point, from: words, of: block, into: &values)
            }
        } catch ModbusError.exception(let code) where code == .illegalDataAddress {
            if block.points.count > 1 {
                // The device gives no such block; it may still give each value by itself.
                let singles = ReadPlan.singles(of: block, in: profile.points)
                blocks = blocks.flatMap { $0 == block ? singles : [$0] }
                for single in singles { try await read(single, into: &values) }
            } else if let name = block.points.first.map({ profile.points[$0].name }) {
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
        blocks = ReadPlan.blocks(for: profile.points, transport: profile.transport)
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
        let start = Int(point.place.address) - Int(block.address)
        guard start >= 0, start + point.type.words <= words.count else { return }
        let own = Array(words[start..<(start + point.type.words)])
        values.words[point.name] = own
        if let doubt = RegisterCoding.doubt(of: own, as: point) {
            values.doubts[point.name] = doubt
        } else {
            values.points[point.name] = RegisterCoding.value(of: own, as: point)
        }
    }

    /// A device that answers every register with ones measures nothing, also where ones could be a value.
    private func doubtAll(_ values: inout Values) {
        let open = profile.points.filter { point in
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

    /// Carries out writes, in order.
    /// - Throws: `HubError` when a value does not fit, `ModbusError` otherwise.
    package func perform(_ writes: [ProfileWrite], argument: Double = 0, values: [String: PointValue] = [:])
        async throws
    {
        for write in writes {
            guard let value = value(of: write, argument: argument, values: values),
                let words = RegisterCoding.words(for: value, as: write)
            else {
                throw HubError(
                    .refused,
                    "there is no value that fits \(write.place.table.rawValue) \(write.place.address) of \(profile.name)"
                )
            }
            try await send(words, to: write)
        }
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
        for point in profile.points {
            let doubt = values.doubts[point.name]
            if let quantity = point.quantity {
                reading.samples[quantity] = values.points[point.name]?.number.flatMap { Sample($0, at: now) }
                doubts[quantity] = doubt.map { "\(quantity.rawValue) \($0)" }
            } else if let doubt {
                complaints.append("\(point.name) \(doubt)")
            }
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

    /// Every point with its raw words, for `offpeak read`.
    /// - Throws: `ModbusError` when the device does not answer.
    package func inspect() async throws -> [InspectedPoint] {
        let values = try await read()
        return profile.points.map { point in
            let words = values.words[point.name]
            let raw = words.map {
                $0.map { RegisterCoding.hexadecimal($0) }.joined(separator: " ")
            }
            return InspectedPoint(
                name: point.name, value: values.points[point.name].map { text(of: $0, point) }, raw: raw ?? "refused",
                place: "\(point.place.table.rawValue) \(point.place.address)")
        }
    }

    private func text(of value: PointValue, _ point: ProfilePoint) -> String {
        switch value {
        case .text(let text): text
        case .number(let number):
            [plain(number), point.quantity?.unit ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
        }
    }

    /// At most three decimals, none of them a zero at the end: a counter must not lose its last watt-hours.
    private func plain(_ number: Double) -> String {
        let text = String(format: "%.3f", number)
        let digits = text.reversed().drop { $0 == "0" }.drop { $0 == "." }
        return String(digits.reversed())
    }
}
