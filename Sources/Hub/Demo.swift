import EnergyKit
import Foundation
import Guidance
import HomeSimulator
import HubKit
import Sodium
import Storage

/// How a demo is started.
struct DemoOptions: Sendable {
    var port: UInt16 = 8484
    var speed = 60.0
    var dataFolder: URL?
    var seed: UInt64 = 1
    var start: Date?
    /// Options that only a new house takes, where they are given.
    var forNewHouse: [String] = []
    var mqtt: (host: String, port: UInt16)?
    /// The base topic at the broker.
    var base = "offpeak"

    init(_ given: Arguments) throws {
        if let port = try given.whole("port", in: 0...65_535) { self.port = UInt16(port) }
        if let speed = try given.number("speed", in: 0.01...5_000) { self.speed = speed }
        if let seed = try given.whole("seed", in: 0...1_000_000_000) { self.seed = UInt64(seed) }
        forNewHouse = ["seed", "start"].filter { given[$0] != nil }.map { "--\($0)" }
        dataFolder = given["data"].map { URL(fileURLWithPath: $0) }
        if let text = given["start"] {
            guard let date = try? Date(text, strategy: .iso8601) else {
                throw Arguments.Misuse(
                    description: "--start is a time such as 2024-04-04T22:00:00+02:00, not '\(text)'")
            }
            start = date
        }
        if let text = given["mqtt"] {
            let parts = text.split(separator: ":")
            guard parts.count == 2, let port = UInt16(parts[1]), port > 0 else {
                throw Arguments.Misuse(description: "--mqtt is HOST:PORT such as localhost:1883, not '\(text)'")
            }
            mqtt = (String(parts[0]), port)
        }
        if let base = given["base"] {
            guard mqtt != nil else {
                throw Arguments.Misuse(description: "--base is for a broker; add --mqtt HOST:PORT")
            }
            if let remedy = ConfigurationReader.remedy(for: base) {
                throw Arguments.Misuse(description: "--base '\(base.shown(40))' can't be a base topic; \(remedy)")
            }
            self.base = base
        }
    }
}

/// The hub with a virtual house on real protocols: Modbus servers on loopback, a real week of prices and carbon, and a
/// clock that runs as fast as wanted.
actor Demo {
    private let runtime: HubRuntime
    private let house: HouseRunner
    private let options: DemoOptions
    private let folder: URL
    private let isTemporary: Bool
    private let token = AccessToken()
    private var task: Task<Void, Never>?

    /// The demo's first moment: noon of a day on which the price falls to nothing.
    static let firstMoment = Date(timeIntervalSince1970: 1_712_313_000)

    init(_ options: DemoOptions, share: Share, log: HubLog) async throws {
        self.options = options
        // Read before anything is written, so that a missing file leaves nothing behind.
        let price = try Demo.week("price-de-lu-2024-04-01-week.json", share)
        let carbon = try Demo.week("carbon-de-2024-04-01-week.json", share)
        isTemporary = options.dataFolder == nil
        folder =
            options.dataFolder
            ?? FileManager.default.temporaryDirectory.appendingPathComponent(
                "offpeak-demo-\(UUID().uuidString.prefix(8))")
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw HubError(
                .storage,
                "the folder \(folder.path) can't be created (\(plainWords(of: error))); choose another with --data"
            )
        }
        let file = folder.appendingPathComponent("house.state")
        // A demo that was ended or killed goes on at the moment its house was last in.
        let kept = try Demo.kept(file, options)
        let start = kept?.now ?? options.start ?? Demo.firstMoment
        let clock = ScaledClock(start: start, speed: options.speed)
        house = try HouseRunner(
            kept ?? House(now: start, seed: options.seed), clock: clock, ports: HousePorts(), file: file)
        var hub = HubOptions(share: share, clock: clock, log: log)
        hub.price = price
        hub.carbon = carbon
        do {
            runtime = try await HubRuntime(Demo.configuration(options, folder, house.ports), options: hub)
        } catch let error as HubError where error.code == .inUse {
            throw HubError(
                .inUse, "another demo or hub uses \(folder.path); stop it, or choose another folder with --data")
        }
        try await Demo.keep(token, in: runtime.store)
    }

    /// EnergyKit by the demo's own hub, for code that runs inside it.
    nonisolated var energyKit: any EnergyKitBackend { runtime.energyKit }

    /// The house of an earlier demo; what can't be read is set aside, never written over.
    private static func kept(_ file: URL, _ options: DemoOptions) throws(HubError) -> House? {
        switch HouseFile.content(of: file) {
        case .nothing: return nil
        case .house(let house):
            if !options.forNewHouse.isEmpty {
                let names = options.forNewHouse.joined(separator: " and ")
                Console.error(
                    "the house in \(file.deletingLastPathComponent().path) goes on where it was; \(names) counts for a new one only"
                )
            }
            return house
        case .unreadable(let reason):
            let aside = file.appendingPathExtension("broken")
            try? FileManager.default.removeItem(at: aside)
            do {
                try FileManager.default.moveItem(at: file, to: aside)
            } catch {
                throw HubError(
                    .storage,
                    "\(file.path) is no house (\(reason)) and can't be set aside (\(plainWords(of: error))); choose another folder with --data"
                )
            }
            Console.error(
                "\(file.path) is no house (\(reason)); it is now \(aside.lastPathComponent), and a new house begins")
            return nil
        }
    }

    private static func week(_ name: String, _ share: Share) throws -> RepeatingSeries {
        let series = try FileSeries.read(share.demo.appendingPathComponent(name))
        return RepeatingSeries(series, name: series.source, period: 7 * 86_400)
    }

    /// One token for the link that is printed; those of earlier starts are worthless from now on.
    private static func keep(_ token: AccessToken, in store: HubStore) async throws {
        for old in try await store.credentials() where old.label == "demo" {
            _ = try await store.revokeCredential(old.id)
        }
        try await store.keepCredential(hash: Array(token.hash.hex.utf8), role: "operator", label: "demo")
    }

    func start() async {
        let house = house
        task = Task { await house.run() }
        await runtime.start()
    }

    func stop() async {
        await runtime.stop()
        task?.cancel()
        await task?.value
        house.stop()
        if isTemporary { try? FileManager.default.removeItem(at: folder) }
    }

    private var pace: String {
        options.speed == 1 ? "in real time" : "\(plain(options.speed)) seconds of it for each real one"
    }

    /// Says where the page is; the part after # never leaves the browser, which exchanges it for a session.
    func sayWhereItIs() async {
        guard let port = await runtime.port else {
            return Console.error(
                "the page is not served yet, because the port is in use; stop the other program or choose another with --port"
            )
        }
        let ports = house.ports
        Console.out(
            """
            Offpeak demo: a house in Germany, \(pace)
            Page:  http://127.0.0.1:\(port)/#token=\(token.text)
            API:   http://127.0.0.1:\(port)/api/v1/devices
            Modbus at 127.0.0.1: grid \(ports.meter), solar \(ports.inverter), car \(ports.charger), heating \(ports.heatPump)
            Ctrl-C stops it.
            """)
    }
}
