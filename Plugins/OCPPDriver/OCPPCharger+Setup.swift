import Foundation
import HubKit
import OCPP

/// What the hub does when a charger has connected: it learns its settings, and changes those that keep values away.
///
/// Only what is not as wanted is written, and what was refused is not tried again.
extension OCPPCharger {
    /// What the hub would like to be measured.
    static let measurands = [
        "Energy.Active.Import.Register", "Power.Active.Import", "Current.Import", "Current.Offered", "Voltage", "SoC",
    ]

    func prepare(_ session: ChargePointSession) async {
        // A charger that has just started says so first, and may not listen before.
        guard (try? await Task.sleep(for: central.settling)) != nil, isCurrent(session) else { return }
        do {
            settings = ChargerSettings(try await session.call(.getConfiguration))
        } catch {
            log.info("does not tell its settings: \(plainWords(of: error))")
        }
        await chooseMeasurands(session)
        await choosePace(session)
        if let ping = settings["WebSocketPingInterval"].flatMap({ Int($0) }), ping == 0 || ping > 60 {
            await change("WebSocketPingInterval", to: "30", session)
        }
        guard settings.mayHave("RemoteTrigger") else { return }
        if boot == nil {
            hasAskedWhatItIs = true
            await trigger("BootNotification", session)
        }
        await trigger("StatusNotification", session)
        await trigger("MeterValues", session)
    }

    /// Asks the charger to send a message now; many can't, and send it in their own time.
    func trigger(_ message: String, _ session: ChargePointSession) async {
        guard isCurrent(session), !refusedSettings.contains("trigger \(message)") else { return }
        let connector = message == "BootNotification" ? nil : connection.connector
        do {
            let status = try await session.status(of: .trigger(message, connector: connector))
            if status == "NotImplemented" { refusedSettings.insert("trigger \(message)") }
        } catch let error as CallError where error.retryClass == .permanent {
            refusedSettings.insert("trigger \(message)")
        } catch {
            log.debug("does not send \(message) when asked: \(plainWords(of: error))")
        }
    }

    /// Asks for values where they stay out although a car charges, or where charging has ended since the last.
    func askForValues(_ session: ChargePointSession) async {
        guard settings.mayHave("RemoteTrigger"), let status = view.current?.status else { return }
        let now = clock.now
        let isOld = status == .charging && isSilent(at: now)
        let hasStopped = status != .charging && (view.statusSince ?? now) > (view.measuredAt ?? .distantFuture)
        guard isOld || hasStopped, measuring.take(at: now) else { return }
        await trigger("MeterValues", session)
    }

    private func choosePace(_ session: ChargePointSession) async {
        let key = "MeterValueSampleInterval"
        guard let known = settings[key].flatMap({ Double($0) }), known == 0 || known > meterSeconds else { return }
        await change(key, to: String(Int(meterSeconds)), session)
    }

    private func chooseMeasurands(_ session: ChargePointSession) async {
        let key = "MeterValuesSampledData"
        guard settings.isChangeable(key), let known = settings.list(key) else { return }
        var chosen = known
        let lower = Set(known.map { $0.lowercased() })
        var wanted = OCPPCharger.measurands.filter { !lower.contains($0.lowercased()) }
        if let most = settings["\(key)MaxLength"].flatMap({ Int($0) }), most > 0 {
            wanted = Array(wanted.prefix(max(0, most - known.count)))
        }
        wanted.removeAll { refusedSettings.contains("\(key) \($0)") }
        guard !wanted.isEmpty else { return }
        if await change(key, to: (chosen + wanted).joined(separator: ","), session) { return }
        // It refuses the whole list for one that it can't measure: one by one tells which.
        guard wanted.count > 1 else { return }
        for measurand in wanted where isCurrent(session) {
            if await change(key, to: (chosen + [measurand]).joined(separator: ","), session) {
                chosen.append(measurand)
            } else {
                refusedSettings.insert("\(key) \(measurand)")
            }
        }
    }

    /// Changes a setting.
    /// - Returns: whether the charger took it.
    @discardableResult
    private func change(_ key: String, to value: String, _ session: ChargePointSession) async -> Bool {
        let mark = "\(key)=\(value)"
        guard isCurrent(session), settings.isChangeable(key), settings[key] != value, !refusedSettings.contains(mark)
        else { return false }
        do {
            let status = try await session.status(of: .change(key, to: value))
            switch status {
            case "Accepted":
                log.info("its setting \(key) is \(value) now, it was \(settings[key] ?? "not set")")
            case "RebootRequired":
                log.notice("its setting \(key) is \(value) once it was restarted; restart it when no car charges")
            default:
                refusedSettings.insert(mark)
                return false
            }
            settings.took(key, value)
            return true
        } catch is CallError {
            refusedSettings.insert(mark)
            return false
        } catch {
            return false
        }
    }
}
