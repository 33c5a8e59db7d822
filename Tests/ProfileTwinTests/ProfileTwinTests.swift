import HubKit
import Modbus
import ProfileKit
import TestSupport
import Testing

/// Every profile against its virtual twin: known words give known values, and each command gives exactly its writes.
@Suite(.timeLimit(.minutes(2))) struct ProfileTwinTests {
    @Test func everyProfileAndEveryOptionHasATwin() throws {
        let files = try TwinFile.all()
        for profile in ProfileLibrary.shipped.all where profile.link == .modbus {
            let own = files.filter { $0.profile == profile.name }
            #expect(own.contains { $0.options.isEmpty }, "no twin of \(profile.name)")
            for option in profile.options.map(\.name) {
                #expect(own.contains { $0.options.contains(option) }, "no twin of \(profile.name) with \(option)")
            }
        }
        for file in files {
            let profile = try #require(ProfileLibrary.shipped[file.profile], "\(file.name) is of no profile")
            #expect(profile.kind == file.kind)
            #expect(file.name == ([file.profile] + file.options).joined(separator: "+"))
            #expect(profile.transport.unit == file.unit)
        }
    }

    @Test(arguments: try TwinFile.all()) func knownWordsGiveKnownValues(file: TwinFile) async throws {
        let test = try RunningTwin(file)
        await test.running.settle()
        let reading = try #require(test.running.reading)
        #expect(RunningTwin.differences(reading, file.expected) == [])
        // Nothing more than what is known.
        #expect(Set(reading.samples.keys) == Set(file.expected.reading.keys))
        #expect(
            RunningTwin.states(reading).keys.sorted() == file.expected.states.filter { $0.value != nil }.keys.sorted())
        #expect(test.running.health?.state == .ok)
        for step in file.steps {
            await test.show(step.changes)
            let reading = try #require(test.running.reading)
            #expect(RunningTwin.differences(reading, step.expected) == [], "\(step.name)")
            #expect(test.running.health?.state == .ok, "\(step.name)")
        }
        #expect(test.twin.writes == [], "nobody wanted anything")
    }

    @Test(arguments: try TwinFile.all().filter { !$0.orders.isEmpty })
    func eachCommandGivesExactlyItsWrites(file: TwinFile) async throws {
        let test = try RunningTwin(file)
        await test.running.settle()
        for order in file.orders {
            // A load state lasts a while before the next is taken, and a step of power before a higher one.
            if [.reduce, .surplus].contains(order.command.slot) {
                await test.running.pass(test.profile.hvac?.minimumDwellSeconds ?? 0)
            }
            test.twin.forgetWrites()
            #expect(try await test.running.perform(order.command) == .applied, "\(order.command)")
            let writes = test.twin.writes.map { write in
                TwinFile.Write(
                    function: write.function, address: write.address,
                    words: write.values + write.coils.map { $0 ? 1 : 0 })
            }
            #expect(writes == order.writes, "\(order.command)")
            test.twin.forgetWrites()
            #expect(try await test.running.perform(order.command) == .unchanged, "\(order.command) again")
            #expect(test.twin.writes == [])
        }
    }

    @Test func everyCommandOfAProfileIsInATwin() throws {
        let twins =
            try TwinFile.all().map { (profile: $0.profile, commands: $0.orders.map(\.command)) }
            + FieldTwinFile.all().map { (profile: $0.profile, commands: $0.orders.map(\.command)) }
        for profile in ProfileLibrary.shipped.all {
            let orders = twins.filter { $0.profile == profile.name }.flatMap(\.commands)
            let needed: [(ProfileCommand, DeviceCommand.Slot)] = [
                (.current, .current), (.setpoint, .setpoint), (.reduceNormal, .reduce), (.offset, .offset),
                (.surplus, .surplus), (.stage0, .surplus), (.powerLimit, .powerLimit),
            ]
            for (command, slot) in needed where profile.commands[command] != nil {
                #expect(orders.contains { $0.slot == slot }, "\(profile.name) \(command)")
            }
            if profile.commands[.current] != nil { #expect(orders.contains(.limitCurrent(amps: 0)), "\(profile.name)") }
            if profile.commands[.powerLimit] != nil {
                #expect(orders.contains(.limitPower(watts: nil)), "\(profile.name)")
            }
            if profile.commands[.offset] != nil {
                #expect(orders.contains(.shiftSetpoint(kelvin: 0)), "\(profile.name)")
            }
            let battery = profile.capabilities(DeviceLimits()).battery
            if battery != nil { #expect(orders.contains(.battery(.automatic)), "\(profile.name)") }
            if battery?.hold == true { #expect(orders.contains(.battery(.hold)), "\(profile.name)") }
            if battery?.charge == true {
                #expect(orders.contains { if case .battery(.charge) = $0 { true } else { false } }, "\(profile.name)")
            }
            for state in profile.capabilities(DeviceLimits()).hvac?.reduce ?? [] {
                #expect(orders.contains(.reduce(state)), "\(profile.name) \(state)")
            }
        }
    }
}

/// What the hub relies on in every driver holds for every profile.
@Suite(.timeLimit(.minutes(4))) struct TwinConformanceTests {
    @Test(arguments: try TwinFile.all().filter(\.options.isEmpty))
    func theDriverKeepsTheHubsPromises(file: TwinFile) async throws {
        let twin = try RunningTwin.twin(file)
        let profile = try #require(ProfileLibrary.shipped[file.profile])
        var configuration = try DeviceConfiguration.forTests(
            file.kind.rawValue, profile: file.profile, port: twin.server.port)
        RunningTwin.configure(&configuration, for: profile, file)
        let conformance = DriverConformance(RunningTwin.driver(file.kind), configuration, server: twin.server)
        let breaches = await conformance.breaches()
        #expect(breaches == [])
    }
}
