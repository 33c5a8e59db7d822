import Foundation

/// Sun, air and what people in the house do: smooth in time, the same for the same seed.
struct Weather {
    let outdoorCelsius: Double
    let solarWatts: Double
    let baseWatts: Double
    /// Heat that people, appliances and windows give to the rooms.
    let gainWatts: Double

    init(at moment: Date, seed: UInt64) {
        let clock = LocalClock(moment)
        let noise = SmoothNoise(seed: seed)
        let hours = moment.timeIntervalSince1970 / 3600
        let hour = Double(clock.minute) / 60
        let season = -cos(2 * .pi * (Double(clock.dayOfYear) - 15) / 365.25)
        let day = cos(2 * .pi * (hour - 15) / 24)
        outdoorCelsius = 9.5 + 9.5 * season + 4.5 * day + 3 * noise.value(hours / 30, stream: 1)
        let sun = Weather.sunHeight(hour: hour, season: season)
        // Clouds: from clear to a quarter of the light, changing over minutes and hours.
        let cloud = 0.62 + 0.28 * noise.value(hours / 3, stream: 2) + 0.18 * noise.value(hours * 6, stream: 3)
        solarWatts = (9_400 * sun * max(0.12, min(1, cloud))).rounded()
        baseWatts = Weather.base(hour: hour, hours: hours, noise: noise)
        gainWatts = 280 + baseWatts * 0.5 + solarWatts * 0.12
    }

    /// The sun's height as a share of straight above, for the middle of Germany.
    private static func sunHeight(hour: Double, season: Double) -> Double {
        let declination = 23.4 * season * .pi / 180
        let latitude = 51 * Double.pi / 180
        let angle = (hour - 13.3) * 15 * .pi / 180
        return max(0, sin(latitude) * sin(declination) + cos(latitude) * cos(declination) * cos(angle))
    }

    private static func base(hour: Double, hours: Double, noise: SmoothNoise) -> Double {
        let morning = exp(-pow((hour - 7.5) / 1.2, 2))
        let noon = exp(-pow((hour - 12.5) / 1.0, 2))
        let evening = exp(-pow((hour - 19.3) / 1.8, 2))
        let usual = 220 + 380 * morning + 350 * noon + 620 * evening
        let cooking = max(0, noise.value(hours * 4, stream: 4) - 0.55) * 4_000 * (noon + evening)
        return (usual * (1 + 0.15 * noise.value(hours * 20, stream: 5)) + cooking).rounded()
    }
}

/// Noise that changes smoothly and repeats for the same seed: values at whole numbers, joined by a smooth step.
struct SmoothNoise {
    let seed: UInt64

    /// A value in -1…1.
    func value(_ x: Double, stream: UInt64) -> Double {
        let floor = x.rounded(.down)
        let part = x - floor
        let smooth = part * part * (3 - 2 * part)
        return lattice(Int64(floor), stream) * (1 - smooth) + lattice(Int64(floor) + 1, stream) * smooth
    }

    /// SplitMix64 (Steele, Lea and Flood, 2014), used as a hash of the place.
    private func lattice(_ index: Int64, _ stream: UInt64) -> Double {
        var z = seed &+ UInt64(bitPattern: index) &* 0x9E37_79B9_7F4A_7C15 &+ stream &* 0xD1B5_4A32_D192_ED03
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        z ^= z >> 31
        return Double(z >> 11) / Double(1 << 52) - 1
    }
}
