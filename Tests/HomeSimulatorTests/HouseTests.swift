import Foundation
import HubKit
import Testing

@testable import HomeSimulator

@Suite struct HouseTests {
    /// Midnight in Berlin on 2026-06-15.
    private let summer = Date(timeIntervalSince1970: 1_781_474_400)
    /// Midnight in Berlin on 2026-01-12.
    private let winter = Date(timeIntervalSince1970: 1_768_172_400)

    private func house(at now: Date, seed: UInt64 = 7) -> House {
        var house = House(now: now, seed: seed)
        house.charger.isEnabled = true
        return house
    }

    @Test func theMeterShowsTheSumAtEveryMomentOfADay() throws {
        var house = house(at: summer)
        for _ in 0..<2880 {
            house.advance(to: house.now.addingTimeInterval(30))
            let meter = Dictionary(uniqueKeysWithValues: VirtualGridMeter.registers(of: house))
            let charger = Dictionary(uniqueKeysWithValues: VirtualKEBA.registers(of: house))
            let pump = Dictionary(uniqueKeysWithValues: VirtualNibe.registers(of: house))
            let inverter = Dictionary(uniqueKeysWithValues: VirtualInverter.registers(of: house))
            let grid = float(try #require(meter[52]))
            let car = Double(long(try #require(charger[1020]))) / 1000
            let heat = Double(long(try #require(pump[2166]).reversed()))
            let sun = try #require(inverter[30_775])
            let solar = sun == [0x8000, 0] ? 0 : Double(Int32(bitPattern: long(sun)))
            #expect(abs(grid - (house.baseWatts + car + heat - solar)) < 1)
            // The phases add up to the whole.
            let phases = try #require(meter[0])
            let sum = [12, 14, 16].map { float(Array(phases[$0..<($0 + 2)])) }.reduce(0, +)
            #expect(abs(sum - grid) < 1)
        }
    }

    @Test func energiesAreTheIntegralOfPower() {
        var house = house(at: summer)
        let start = house
        var (imported, exported, produced, charged) = (0.0, 0.0, 0.0, 0.0)
        // The physics has steps of five seconds: power is constant within one.
        for _ in 0..<17_280 {
            house.advance(to: house.now.addingTimeInterval(5))
            imported += max(0, house.gridWatts) * 5 / 3600
            exported += max(0, -house.gridWatts) * 5 / 3600
            produced += house.solarWatts * 5 / 3600
            charged += house.charger.watts * 5 / 3600
        }
        #expect(abs(house.importedWattHours - start.importedWattHours - imported) < 0.01)
        #expect(abs(house.exportedWattHours - start.exportedWattHours - exported) < 0.01)
        #expect(abs(house.producedWattHours - start.producedWattHours - produced) < 0.01)
        #expect(abs(house.charger.countedWattHours - start.charger.countedWattHours - charged) < 0.01)
        #expect(imported > 1000 && exported > 1000 && produced > 10_000 && charged > 10_000)
    }

    @Test func countersNeverFall() {
        var house = house(at: winter)
        for _ in 0..<2000 {
            let before = house
            house.advance(to: house.now.addingTimeInterval(60))
            #expect(house.importedWattHours >= before.importedWattHours)
            #expect(house.exportedWattHours >= before.exportedWattHours)
            #expect(house.producedWattHours >= before.producedWattHours)
            #expect(house.charger.countedWattHours >= before.charger.countedWattHours)
        }
    }

    @Test func theSameSeedIsTheSameDayAndAnotherIsAnother() {
        func day(_ seed: UInt64) -> House {
            var house = house(at: summer, seed: seed)
            house.advance(to: summer.addingTimeInterval(86_400))
            return house
        }
        #expect(day(1) == day(1))
        let (one, two) = (day(1), day(2))
        #expect(one.producedWattHours != two.producedWattHours)
        #expect(one.importedWattHours != two.importedWattHours)
    }

    @Test func theSunShinesByDayOnly() {
        var house = house(at: summer)
        var noon = 0.0
        for hour in 1...24 {
            house.advance(to: summer.addingTimeInterval(Double(hour) * 3600))
            if hour <= 3 || hour >= 23 { #expect(house.solarWatts == 0, "hour \(hour)") }
            if (11...15).contains(hour) { noon = max(noon, house.solarWatts) }
        }
        #expect((1500...9500).contains(noon))
    }

    /// The day's name, when the car leaves and when it is back, in UTC: 18:30 and 21:45 in Berlin.
    static let days = [
        ("the day before", 1_711_753_200.0, 24.0, 1_711_819_800.0, 1_711_831_500.0),
        ("2024-03-31, 23 hours", 1_711_839_600, 23, 1_711_902_600, 1_711_914_300),
        ("2024-10-27, 25 hours", 1_729_980_000, 25, 1_730_050_200, 1_730_061_900),
    ]

    @Test(arguments: days)
    func theCarKeepsToTheWallClock(name: String, midnight: Double, hours: Double, leaves: Double, returns: Double) {
        var house = house(at: Date(timeIntervalSince1970: midnight))
        var (left, back): ([Double], [Double]) = ([], [])
        for minute in 1...Int(hours * 60) {
            let wasPlugged = house.car.isPlugged
            house.advance(to: Date(timeIntervalSince1970: midnight + Double(minute) * 60))
            if wasPlugged, !house.car.isPlugged { left.append(house.now.timeIntervalSince1970) }
            if !wasPlugged, house.car.isPlugged { back.append(house.now.timeIntervalSince1970) }
        }
        #expect(left.count == 1 && back.count == 1)
        #expect(left.allSatisfy { abs($0 - leaves) <= 60 } && back.allSatisfy { abs($0 - returns) <= 60 })
    }

    @Test func aDriveEmptiesTheBatteryAndStartsANewSession() {
        var house = house(at: Date(timeIntervalSince1970: 1_711_819_800 - 60))
        house.car.storedWattHours = house.car.capacityWattHours
        house.charger.sessionWattHours = 4321
        house.advance(to: Date(timeIntervalSince1970: 1_711_819_800 + 60))
        #expect(!house.car.isPlugged && house.charger.watts == 0)
        house.charger.isEnabled = false
        house.advance(to: Date(timeIntervalSince1970: 1_711_831_500 + 60))
        #expect(house.car.isPlugged)
        #expect(house.car.storedWattHours == house.car.capacityWattHours - house.car.tripWattHours)
        #expect(house.charger.sessionWattHours == 0)
    }

    @Test(arguments: [6.0, 10, 16, 32]) func theCarDrawsWhatIsOffered(amps: Double) {
        var house = house(at: summer)
        house.charger.limitAmps = amps
        house.advance(to: summer.addingTimeInterval(60))
        #expect(house.charger.watts == min(amps, 16) * 3 * 230)
        let stored = house.car.storedWattHours
        house.advance(to: summer.addingTimeInterval(3660))
        #expect(abs(house.car.storedWattHours - stored - house.charger.watts * 0.9) < 1)
        house.charger.isEnabled = false
        house.advance(to: summer.addingTimeInterval(3665))
        #expect(house.charger.watts == 0)
    }

    @Test(arguments: ["summer", "winter"]) func roomsStayComfortableForTwoWeeks(season: String) {
        var house = house(at: season == "summer" ? Date(timeIntervalSince1970: 1_775_000_000) : winter)
        var (least, most) = (Double.infinity, -Double.infinity)
        for _ in 0..<(14 * 144) {
            house.advance(to: house.now.addingTimeInterval(600))
            least = min(least, house.heating.roomCelsius)
            most = max(most, house.heating.roomCelsius)
        }
        #expect(least >= 19.5 && most <= 22.5, "\(least) to \(most) °C")
    }

    @Test func aBlockedPumpStopsAndTheRoomsCool() {
        var house = house(at: winter)
        house.advance(to: winter.addingTimeInterval(3600))
        house.heating.order = .blocked
        let before = house.heating.roomCelsius
        house.advance(to: winter.addingTimeInterval(3 * 3600))
        #expect(house.heating.watts == 0)
        #expect(house.heating.roomCelsius < before - 0.1)
        house.heating.order = .boosted
        house.advance(to: winter.addingTimeInterval(3 * 3600 + 60))
        #expect(house.heating.watts > 0)
    }

    private func long(_ words: some Sequence<UInt16>) -> UInt32 { words.reduce(0) { $0 << 16 | UInt32($1) } }

    private func float(_ words: [UInt16]) -> Double { Double(Float(bitPattern: long(words))) }
}
