import Foundation
import HubKit
import Storage
import WebAPI
import WebServer

/// The HTTP side of a hub: a port that is in use is said and tried again, and the rest runs on meanwhile.
actor WebEdge {
    private let configuration: HTTPConfiguration
    private let services: HubServices
    private let api: HubAPI
    private let webSockets: [WebSocketRoute]
    private var server: WebServer?
    private var retry: Task<Void, Never>?
    private var fault = StandingFault()

    init(
        _ configuration: HTTPConfiguration, services: HubServices, dashboard: URL, webSockets: [WebSocketRoute] = []
    ) {
        self.webSockets = webSockets
        self.configuration = configuration
        self.services = services
        let exists = FileManager.default.fileExists(atPath: dashboard.appendingPathComponent("index.html").path)
        api = HubAPI(
            services,
            access: AccessRules(isLoopback: configuration.isLoopback, protectsReading: configuration.protectsReading),
            dashboard: exists ? dashboard : nil)
    }

    var port: Int? { get async { await server?.boundPort } }

    func start() async {
        if await open() { return }
        retry = Task { [weak self] in
            while (try? await Task.sleep(for: .seconds(5))) != nil {
                guard let self else { return }
                if await self.open() { return }
            }
        }
    }

    func stop() async {
        retry?.cancel()
        await server?.stop(within: .seconds(1))
    }

    private func open() async -> Bool {
        if !configuration.isLoopback, await !hasCredential() {
            complain(
                "the hub does not listen at \(configuration.host) before there is a credential; create one with 'offpeak token create --role operator', or listen at 127.0.0.1"
            )
            return false
        }
        var settings = WebServerConfiguration(
            host: configuration.host, port: Int(configuration.port), unixSocketPath: configuration.socketPath)
        settings.tls = configuration.tls.map {
            TLSConfiguration(
                host: $0.host, port: Int($0.port), certificatePath: $0.certificateFile, keyPath: $0.keyFile)
        }
        let log = services.log
        settings.log = { log.warning($0) }
        let api = api
        let made = WebServer(configuration: settings, webSockets: webSockets) {
            api.executor(for: $0)
        } handler: {
            await api.respond($0)
        }
        do {
            try await made.start()
            server = made
            fault = StandingFault()
            log.notice("listening at http://\(configuration.host):\(await made.boundPort ?? 0)")
            if let port = await made.boundTLSPort, let host = configuration.tls?.host {
                log.notice("listening at https://\(host):\(port)")
            }
            return true
        } catch {
            complain("\(plainWords(of: error)); trying again every 5 s, everything else runs on")
            return false
        }
    }

    private func complain(_ text: String) {
        if let line = fault.failed(text, at: services.clock.now) { services.log.error(line) }
    }

    private func hasCredential() async -> Bool {
        (try? await services.store.credentials().isEmpty) == false
    }
}
