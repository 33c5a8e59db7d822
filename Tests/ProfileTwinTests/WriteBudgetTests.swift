import HubKit
import ProfileKit
import TestSupport
import Testing

/// A command is written when it changes; what the device says afterwards makes no storm of writes (D-9).
@Suite(.timeLimit(.minutes(4))) struct WriteBudgetTests {
    /// The twin shows what was written at its place; all else stays as it was, as with a device that does not follow.
    @Test(arguments: try TwinFile.all().filter { !$0.orders.isEmpty })
    func anHourAfterACommandLittleWasWrittenAgain(file: TwinFile) async throws {
        let test = try RunningTwin(file, pollSeconds: 300)
        // What a device forgets is written as often as that.
        guard test.profile.hvac?.reassertSeconds == nil, test.profile.battery == nil else { return }
        await test.running.settle()
        for order in file.orders where order.command.slot != .surplus {
            if case .reduce = order.command { await test.running.pass(test.profile.hvac?.minimumDwellSeconds ?? 0) }
            test.twin.forgetWrites()
            guard try await test.running.perform(order.command) == .applied else { continue }
            await test.running.pass(3600)
            let again = test.twin.writes.count - order.writes.count
            // Told again after ever longer times.
            #expect(again <= 10 * order.writes.count, "\(order.command): \(again) more writes")
        }
    }

    /// A charger with a switch beside its current, or with one register for both, shows that it is paused.
    @Test(arguments: try TwinFile.all().filter { $0.kind == .ev && $0.options.isEmpty && $0.offers })
    func aPauseIsSeenAndNotWrittenAgain(file: TwinFile) async throws {
        let test = try RunningTwin(file, pollSeconds: 300)
        await test.running.settle()
        #expect(try await test.running.perform(.limitCurrent(amps: 0)) == .applied)
        await test.running.pass(300)
        #expect(test.running.reading?[.limitAmps] == 0)
        test.twin.forgetWrites()
        await test.running.pass(3600)
        #expect(test.twin.writes == [])
        // Somebody else resumes: the hub says again what it wants.
        await test.show(TwinFile.Registers())
        await test.running.pass(300)
        #expect(test.twin.writes.isEmpty == false)
    }
}

extension TwinFile {
    /// Whether it tells a current above 0 at the register, or behind the switch, that a pause writes to.
    fileprivate var offers: Bool {
        guard let pause = orders.first(where: { $0.command == .limitCurrent(amps: 0) }),
            let told = expected.reading[.limitAmps] ?? nil, told > 0
        else { return false }
        return pause.writes.contains { write in
            registers.holding.contains { $0.key == write.address && $0.value.contains { $0 != 0 } }
                || registers.coils.contains { $0.key == write.address }
        }
    }
}
