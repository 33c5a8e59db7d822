import Foundation
import HubKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct BoardTests {
    private let now = Date(timeIntervalSince1970: 1_780_000_000)

    private func board(_ names: String...) throws -> (DeviceBoard, [DeviceID]) {
        let board = DeviceBoard()
        let ids = try names.map { try #require(DeviceID($0)) }
        for id in ids {
            var configuration = DeviceConfiguration(
                id: id, name: id.rawValue, venueID: UUID(), driver: "x", connection: .none)
            configuration.mode = .guided
            configuration.comfort = ComfortGoal(setpointCelsius: 21, comfortBandKelvin: 1)
            board.add(configuration, kind: .hvac, capabilities: .init(), health: DeviceHealth(.starting, since: now))
        }
        return (board, ids)
    }

    @Test func keepsTheOrderAndStartsFromTheConfiguration() throws {
        let (board, ids) = try board("z", "a", "m")
        #expect(board.all.map(\.configuration.id) == ids)
        let first = try #require(board[ids[0]])
        #expect(first.reading == nil)
        #expect(first.health.state == .starting)
        #expect(first.mode == .guided)
        #expect(first.goal == .comfort(ComfortGoal(setpointCelsius: 21, comfortBandKelvin: 1)))
        #expect(board["other"] == nil)
    }

    @Test func aReadingAgesAndStays() throws {
        let (board, ids) = try board("a")
        var reading = DeviceReading(at: now)
        reading[.powerWatts] = 230
        board.post(reading, for: ids[0])
        let state = try #require(board[ids[0]])
        #expect(state.freshReading(within: 60, at: now.addingTimeInterval(60))?.powerWatts == 230)
        #expect(state.freshReading(within: 60, at: now.addingTimeInterval(60.5)) == nil)
        #expect(state.reading?.powerWatts == 230)
        // A clock that was set back makes the last reading one of the future: nobody knows how old it is.
        #expect(state.freshReading(within: 60, at: now.addingTimeInterval(-3600)) == nil)
        #expect(state.freshReading(within: 60, at: now.addingTimeInterval(-5))?.powerWatts == 230)
    }

    @Test func listenersHearWhatChangedInOrder() async throws {
        let (board, ids) = try board("a", "b")
        var heard: [String] = []
        let changes = board.changes()
        let guidance = FollowedGuidance(token: UUID(), isFollowing: true)
        board.post(DeviceReading(at: now), for: ids[1])
        board.post(DeviceHealth(.ok, since: now), for: ids[0])
        board.post(mode: .now, goal: nil, limit: nil, for: ids[0])
        board.post(guidance, for: ids[0])
        board.post(guidance, for: ids[0])
        board.post(DeviceReading(at: now), for: "unknown")
        board.post(DeviceReading(at: now), for: ids[0])
        for await change in changes {
            heard.append("\(change)")
            if heard.count == 5 { break }
        }
        #expect(heard == ["reading(b)", "health(a)", "use(a)", "guidance(a)", "reading(a)"])
        #expect(board[ids[0]]?.mode == .now)
        #expect(board[ids[0]]?.goal == nil)
    }

    @Test func aListenerThatDoesNotKeepUpLosesTheOldest() async throws {
        let (board, ids) = try board("a", "b")
        let changes = board.changes()
        board.post(DeviceReading(at: now), for: ids[1])
        for _ in 0..<300 { board.post(DeviceReading(at: now), for: ids[0]) }
        board.post(DeviceHealth(.ok, since: now), for: ids[1])
        var count = 0
        for await change in changes {
            count += 1
            if case .reading(let id) = change { #expect(id == ids[0]) }
            if case .health = change { break }
        }
        #expect(count == 256)
    }

    @Test func driversAreRegisteredOnceAndByPlainNames() throws {
        var registry = DriverRegistry()
        try registry.register(NoOpDriver())
        let error = #expect(throws: HubError.self) { try registry.register(NoOpDriver(kind: .ev)) }
        #expect(error?.message == "two drivers are called 'noop'; rename one of them")
        #expect(registry["noop"]?.kind == .meter)
        #expect(registry["other"] == nil)
        #expect(registry.all.map(\.name) == ["noop"])
    }
}
