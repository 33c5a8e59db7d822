import Foundation
import Hub
import HubKit
import TestSupport
import Testing
import YAML

/// However a configuration is damaged, the check comes to an end, and every fault has a place within the file.
///
/// One after the other, so that thousands of checks leave a processor to the tests beside them.
@Suite(.serialized) struct ConfigurationFuzzTests {
    /// A house with everything in it, and without a fault.
    private static let house = """
        data: data
        http: {listen: "127.0.0.1:8484", protect_reading: true}
        mqtt:
          host: 192.0.2.5
          user: "offpeak"
          password: ${WORD}
        venues:
          - name: Häuschen
            time_zone: Europe/Berlin
            currency: EUR
            location: {latitude: 52.5, longitude: 13.4}
            connection: {phases: 3, amps: 35}
            rate_plan:
              flat: 0.34
              vat_percent: 19
              holidays: [12-25, "2026-01-01"]
              periods:
                - {name: night, price: 0.22, hours: "22:00-06:00"}
                - tiers: [{up_to_kwh: 300, price: 0.3}, {price: 0.4}]
                  weekdays: mon-fri
        circuits: &c
          - {name: garage, amps: 20}
        devices:
          - id: grid
            driver: meter
            profile: eastron-sdm630
            role: grid
            connection: {serial: /dev/null, baud: 9600, framing: 8N1, unit: 1}
          # the car
          - id: car
            driver: ev
            profile: keba-p30
            connection: {host: 192.0.2.12}
            circuit: 'garage'
            limits: {max_amps: 16, phases: 3}
            vehicle: {capacity_kwh: 58}
            goal: {state_of_charge: 80, ready_by: "07:00"}
          - {id: heating, driver: hvac, profile: nibe-s, connection: {host: pump.local},
             goal: {setpoint_celsius: 21}}
        sinks: {mqtt: true}

        """

    private static let bytes = Array(house.utf8)

    private func check(_ content: [UInt8]) throws -> CheckedConfiguration {
        try ConfigurationCheck.run(
            URL(fileURLWithPath: "/nonexistent/house.yaml"), content: content, shipped: .shipped,
            environment: ["WORD": "x"], clock: ManualClock())
    }

    private func expectPlaces(_ content: [UInt8], _ what: String) throws {
        let checked = try check(content)
        let lines = content.count { $0 == 0x0A } + content.count { $0 == 0x0D } + 2
        for fault in checked.faults + checked.warnings {
            let isPlaced = (1...lines).contains(fault.line) && (1...content.count + 1).contains(fault.column)
            if !isPlaced || fault.message.isEmpty || fault.hint?.isEmpty != false || fault.description.contains("\n") {
                Issue.record("\(what): \(fault)")
            }
        }
        if !checked.isUsable, checked.faults.isEmpty { Issue.record("\(what): not usable without a fault") }
    }

    @Test func theWholeHouseHasNoFault() throws {
        let checked = try check(Self.bytes)
        #expect(checked.faults.isEmpty, "\(checked.faults)")
        #expect(try checked.sound().devices.count == 3)
    }

    @Test func cutAtAnyByteEachFaultHasItsPlace() throws {
        for end in Self.bytes.indices { try expectPlaces(Array(Self.bytes[..<end]), "cut at \(end)") }
    }

    @Test func withAnyByteChangedEachFaultHasItsPlace() throws {
        let strange: [UInt8] = [0, 9, 10, 13, 32, 34, 35, 38, 39, 42, 45, 58, 91, 93, 123, 125, 0x80, 0xC3, 0xFF]
        for place in Self.bytes.indices {
            var changed = Self.bytes
            if place.isMultiple(of: 2) {
                changed[place] ^= 1 << UInt8(place / 2 % 8)
            } else {
                changed[place] = strange[place / 2 % strange.count]
            }
            try expectPlaces(changed, "byte \(changed[place]) at \(place)")
        }
    }

    @Test func aLineTakenOutIsSaidOrHarmless() throws {
        let lines = Self.house.split(separator: "\n", omittingEmptySubsequences: false)
        for index in lines.indices {
            var fewer = lines
            fewer.remove(at: index)
            try expectPlaces(Array(fewer.joined(separator: "\n").utf8), "without line \(index + 1)")
        }
    }
}
