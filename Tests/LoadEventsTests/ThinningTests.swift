import EnergyKit
import Foundation
import HubKit
import Storage
import Testing

@testable import LoadEvents

@Suite("Events that wait while the store can't be written")
struct ThinningTests {
    @Test("only samples between samples are left out, and every sum stays")
    func thinsOut() {
        var device = RecordedDevice(.ev(EVSessionMachine(maximumWatts: 11_000)), venueID: UUID())
        let token = UUID()
        for number in 0..<40 {
            let session = UUID()
            let start = Double(number) * 36_000
            device.waiting.append(carEvent(.begin, start, session: session, token: token))
            for sample in 1...98 {
                device.waiting.append(
                    carEvent(
                        .active, start + Double(sample) * 300, session: session, token: token, watts: 7200,
                        wattHours: Double(sample) * 600))
            }
            device.waiting.append(carEvent(.end, start + 29_700, session: session, token: token, wattHours: 59_400))
        }
        let all = device.waiting
        #expect(device.thinOut() > 1_900)
        #expect(device.waiting.count < 2_100)
        func edges(_ events: [AnyLoadEvent]) -> [UUID] { events.filter { $0.stateName != "active" }.map(\.id) }
        #expect(edges(device.waiting) == edges(all))
        for (id, events) in Dictionary(grouping: all, by: \.sessionID) {
            let kept = device.waiting.filter { $0.sessionID == id }
            let sum = SessionLedger.summary(of: kept, at: UUID(), guidance: [:])
            #expect(
                sum?.energyWattHours == SessionLedger.summary(of: events, at: UUID(), guidance: [:])?.energyWattHours)
            #expect(kept.map(\.timestamp) == kept.map(\.timestamp).sorted())
            // The last sample before the end stays.
            #expect(kept.dropLast().last?.id == events.dropLast().last?.id)
        }
    }
}
