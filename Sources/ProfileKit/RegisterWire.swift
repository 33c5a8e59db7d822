package import HubKit
package import Modbus

/// The registers of one device on a Modbus connection, read in blocks.
package actor RegisterWire: ProfileWire {
    private let profile: DeviceProfile
    private let bus: ModbusConnection
    private let unit: UInt8
    private let traffic: TrafficTap?
    /// The registers it reads: those of the profile, and those where a SunSpec device has its values.
    private var registers: [ProfilePoint]
    private var blocks: [ReadBlock]
    /// The SunSpec values that the device does not have; nothing before its models were looked for.
    private var absent: [String]?
    private var refusals: [String: Int] = [:]
    private var setAside: Set<String> = []
    /// Rounds in a row that were lost to an exception that some devices answer for a register that they don't have.
    private var lostRounds = 0
    private var lastRefusal: ModbusException?

    /// The connection's thread, so that a round of blocks costs no change of thread.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { bus.unownedExecutor }

    /// Opens nothing yet.
    /// - Parameters:
    ///   - profile: the profile.
    ///   - bus: the connection.
    ///   - unit: the unit the device answers to.
    ///   - traffic: hears what is said.
    package init(_ profile: DeviceProfile, bus: ModbusConnection, unit: UInt8, traffic: TrafficTap? = nil) {
        self.profile = profile
        self.bus = bus
        self.unit = unit
        self.traffic = traffic
        registers = profile.points
        blocks = ReadPlan.blocks(for: profile.points, transport: profile.transport)
    }

    package func points() -> [ProfilePoint] { registers }

    /// Reads every point.
    ///
    /// A register that the device refuses three times in a row is set aside and said so; the others live on (D-6). It
    /// is asked for again after the device was away, since a device that starts up refuses more than it should.
    /// - Throws: `ModbusError` when the device does not answer, `HubError` when it refuses everything.
    package func read() async throws -> ProfileSession.Values {
        await bus.beginRound(of: unit)
        do {
            let values = try await readAll()
            await bus.endRound(of: unit)
            return values
        } catch {
            await bus.endRound(of: unit)
            throw error
        }
    }

    private func readAll() async throws -> ProfileSession.Values {
        var values = ProfileSession.Values()
        lastRefusal = nil
        do {
            try await findSunSpecPoints()
            for block in blocks {
                try await read(block, into: &values)
                // A neighbour, or a command, need not wait for the whole round.
                await bus.giveWay()
            }
            guard !values.words.isEmpty else {
                if let lastRefusal, lastRefusal.isTransient { throw ModbusError.exception(lastRefusal) }
                throw HubError(
                    .device,
                    "the device refuses every register of \(profile.name); check its profile and unit number",
                    retry: .needsPerson)
            }
        } catch {
            noteLost(error)
            forgetRefusals()
            // It may come back with another firmware, and other models.
            absent = nil
            throw error
        }
        doubtAll(&values)
        if refusals.isEmpty, setAside.isEmpty { lostRounds = 0 }
        // What has cost rounds already is said at once.
        let refused = lostRounds >= 2 ? setAside.union(refusals.keys) : setAside
        let missing = refused.union(absent ?? [])
        if !missing.isEmpty {
            let names = missing.sorted().joined(separator: ", ")
            values.complaint = "the device refuses to give \(names); check that the profile fits its model and firmware"
        }
        return values
    }

    /// Walks the models of a SunSpec device, once for each time that it came.
    private func findSunSpecPoints() async throws {
        guard absent == nil, !profile.sunspecPoints.isEmpty else { return }
        let chain = try await SunSpecChain.find { address, count in
            try await words(.holding, address, count)
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
        registers = found
        blocks = ReadPlan.blocks(for: registers, transport: profile.transport)
        absent = missing
    }

    private func read(_ block: ReadBlock, into values: inout ProfileSession.Values) async throws {
        do {
            let words = try await raw(block)
            for index in block.points {
                let point = registers[index]
                refusals[point.name] = nil
                setAside.remove(point.name)
                take(point, from: words, of: block, into: &values)
            }
        } catch ModbusError.exception(let exception) where isRefusal(exception) {
            lastRefusal = exception
            if block.points.count > 1 {
                // The device gives no such block; it may still give parts of it, or each value by itself.
                let parts = ReadPlan.parts(of: block, in: registers)
                blocks = blocks.flatMap { $0 == block ? parts : [$0] }
                for part in parts { try await read(part, into: &values) }
            } else if let name = block.points.first.map({ registers[$0].name }) {
                refusals[name, default: 0] += 1
                if refusals[name, default: 0] >= 3 {
                    setAside.insert(name)
                    blocks.removeAll { $0 == block }
                }
            }
        }
    }

    /// Whether an exception is about a block and not about the device.
    ///
    /// For a register that they don't have devices answer with any of the first four codes (D-6). All but the second are also
    /// said of other things; they are refusals once they have cost two rounds in a row.
    private func isRefusal(_ exception: ModbusException) -> Bool {
        exception == .illegalDataAddress || (isAmbiguous(exception) && lostRounds >= 2)
    }

    private func isAmbiguous(_ exception: ModbusException) -> Bool {
        [.illegalFunction, .illegalDataValue, .deviceFailure].contains(exception)
    }

    private func noteLost(_ error: any Error) {
        switch error {
        case ModbusError.exception(let exception) where isAmbiguous(exception): lostRounds += 1
        case is ModbusError: lostRounds = 0
        default: break
        }
    }

    /// Asks for everything again; what was set aside stays named until the device gives it.
    private func forgetRefusals() {
        guard !refusals.isEmpty else { return }
        refusals.removeAll()
        blocks = ReadPlan.blocks(for: registers, transport: profile.transport)
    }

    private func raw(_ block: ReadBlock) async throws -> [UInt16] {
        try await words(block.table, block.address, block.count)
    }

    private func words(_ table: RegisterPlace.Table, _ address: UInt16, _ count: Int) async throws -> [UInt16] {
        var repetitions = await bus.turn(of: unit)
        while true {
            do {
                let words = try await answer(table, address, count)
                traffic?.hear(RecordedExchange(.init(unit: unit, table, address, count: count, words: words)))
                return words
            } catch {
                traffic?.hear(.init(unit: unit, table, address, count: count), failedBy: error)
                guard repetitions > 0, isWorthRepeating(error) else { throw error }
                // Its neighbours first.
                repetitions = min(repetitions - 1, await bus.turn(of: unit))
            }
        }
    }

    private func isWorthRepeating(_ error: any Error) -> Bool {
        switch error {
        case ModbusError.timeout, ModbusError.badReply: true
        default: false
        }
    }

    private func answer(_ table: RegisterPlace.Table, _ address: UInt16, _ count: Int) async throws -> [UInt16] {
        switch table {
        case .holding:
            try await bus.read(.holding, unit: unit, address: address, count: count, atSilence: .giveUp)
        case .input:
            try await bus.read(.input, unit: unit, address: address, count: count, atSilence: .giveUp)
        case .coil:
            try await bus.readCoils(unit: unit, address: address, count: count, atSilence: .giveUp).map { $0 ? 1 : 0 }
        case .discrete:
            try await bus.readDiscreteInputs(unit: unit, address: address, count: count, atSilence: .giveUp)
                .map { $0 ? 1 : 0 }
        }
    }

    private func take(
        _ point: ProfilePoint, from words: [UInt16], of block: ReadBlock, into values: inout ProfileSession.Values
    ) {
        guard let own = part(of: point, from: words, of: block) else { return }
        values.words[point.name] = own
        if let doubt = RegisterCoding.doubt(of: own, as: point) {
            values.doubts[point.name] = doubt
            return
        }
        let scale = point.scalePoint.flatMap { name in registers.first { $0.name == name } }
        let exponent = scale.flatMap { scale in
            part(of: scale, from: words, of: block).flatMap { RegisterCoding.value(of: $0, as: scale)?.number }
        }
        values.points[point.name] = RegisterCoding.value(of: own, as: point, exponent: exponent)
    }

    /// A device that answers every register with ones measures nothing, also where ones could be a value.
    private func doubtAll(_ values: inout ProfileSession.Values) {
        let open = registers.filter { point in
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

    /// Reads only these, and by blocks of their own: a round of reading may go on meanwhile.
    package func values(of names: Set<String>) async throws -> [String: PointValue] {
        let reads = registers.indices.filter { names.contains(registers[$0].name) }
            .map { (point: registers[$0], block: ReadPlan.single($0, in: registers)) }
        var values = ProfileSession.Values()
        for read in reads { take(read.point, from: try await raw(read.block), of: read.block, into: &values) }
        return values.points
    }

    package func inspected(_ values: ProfileSession.Values) -> [InspectedPoint] {
        registers.map { point in
            let words = values.words[point.name]
            let raw = words.map { $0.map { RegisterCoding.hexadecimal($0) }.joined(separator: " ") }
            return InspectedPoint(
                name: point.name, value: values.text(of: point.name, point.quantity), raw: raw ?? "refused",
                place: "\(point.place.table.rawValue) \(point.place.address)")
        }
    }
}

// MARK: - Writing

extension RegisterWire {
    package func perform(_ actions: [ProfileAction], argument: Double, values: [String: PointValue]) async throws {
        // All or nothing: a command must not stop half way at a value that never fitted.
        let steps = try actions.map { action in
            guard case .write(let write) = action else {
                throw HubError(.refused, "the profile \(profile.name) has a step that is no write to a register")
            }
            return (write, try words(of: write, argument: argument, values: values))
        }
        for (write, words) in steps { try await send(words, to: write) }
    }

    private func words(
        of write: ProfileWrite, argument: Double, values: [String: PointValue]
    ) throws(HubError) -> [UInt16] {
        let place = "\(write.place.table.rawValue) \(write.place.address) of \(profile.name)"
        let value = number(of: write.value, argument: argument, values: values)
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

    private func send(_ words: [UInt16], to write: ProfileWrite) async throws {
        var exchange = RecordedExchange.Registers(
            unit: unit, write.place.table, write.place.address, count: words.count, words: words)
        exchange.isWrite = true
        do {
            try await carryOut(words, to: write)
            traffic?.hear(RecordedExchange(exchange))
        } catch {
            traffic?.hear(exchange, failedBy: error)
            throw error
        }
    }

    private func carryOut(_ words: [UInt16], to write: ProfileWrite) async throws {
        let address = write.place.address
        // A command to a unit that may be silent lets its neighbours in before.
        _ = await bus.turn(of: unit)
        if write.place.table == .coil {
            try await bus.writeCoil(unit: unit, address: address, value: words.first != 0)
        } else if words.count == 1, !write.multiple, let word = words.first {
            try await bus.write(unit: unit, address: address, value: word)
        } else {
            try await bus.write(unit: unit, address: address, values: words)
        }
    }
}
