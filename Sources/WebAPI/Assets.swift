import Foundation
import WebServer

/// The page and its parts, read from the folder they are installed in.
struct Assets: Sendable {
    let folder: URL?

    /// No script, style or picture from anywhere else, and no frame around the page.
    private static let headers = [
        ("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-cache"),
    ]

    /// Debian's Chart.js stands in the system's own folder.
    private static let chart = [
        "/usr/share/javascript/chart.js/chart.umd.js", "/usr/share/javascript/chart.js/chart.js",
    ]

    func response(_ request: HTTPRequest) throws -> HTTPResponse {
        var path = request.pathSegments
        if path.isEmpty { path = ["index.html"] }
        if path.first == "assets" { path.removeFirst() }
        if path == ["chart.js"],
            let file = Assets.chart.first(where: { FileManager.default.isReadableFile(atPath: $0) })
        {
            return try answer(URL(fileURLWithPath: file))
        }
        guard let folder else {
            throw Problem(
                404, "notFound",
                "the page is not installed; start the hub with --share and the folder that holds 'dashboard'")
        }
        // Only plain names: nothing leads out of the folder.
        guard path.count == 1, let name = path.first, !name.hasPrefix("."), !name.contains("/"), !name.contains("\0")
        else {
            throw Problem.notFound(request)
        }
        let file = folder.appendingPathComponent(name)
        guard FileManager.default.isReadableFile(atPath: file.path), Assets.types[file.pathExtension] != nil else {
            throw Problem.notFound(request)
        }
        return try answer(file)
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml", "png": "image/png", "webmanifest": "application/manifest+json",
    ]

    private func answer(_ file: URL) throws -> HTTPResponse {
        let data = try Data(contentsOf: file)
        return .bytes(
            Array(data), contentType: Assets.types[file.pathExtension] ?? "application/octet-stream",
            headers: Assets.headers)
    }
}
