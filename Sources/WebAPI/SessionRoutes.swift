import Foundation
import HubKit
import WebServer

extension HubAPI {
    private struct SignIn: Decodable { var token: String }
    private struct SignedIn: Encodable { var role: String }

    /// The page's own session: a cookie that only this site sends and no script reads.
    func session(_ request: HTTPRequest) async throws -> HTTPResponse {
        switch request.method {
        case "GET", "HEAD":
            guard let role = try await gate.currentRole(request) else {
                throw Problem(401, "permissionDenied", "not signed in")
            }
            return try json(SignedIn(role: role.rawValue))
        case "POST":
            try gate.checkOrigin(request)
            let body = try decoded(SignIn.self, request)
            guard let role = try await gate.role(ofToken: body.token) else {
                // Slow, so that guessing is hopeless.
                try await Task.sleep(for: .milliseconds(300))
                throw Problem(
                    401, "permissionDenied", "the access token is not valid; create one with 'offpeak token create'")
            }
            let cookie =
                "\(Gate.cookie)=\(gate.open(role)); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(Gate.sessionSeconds)"
            return try json(SignedIn(role: role.rawValue), headers: [("Set-Cookie", cookie)])
        case "DELETE":
            try gate.checkOrigin(request)
            gate.close(request)
            return HTTPResponse(
                status: 204, headers: [("Set-Cookie", "\(Gate.cookie)=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")])
        default:
            throw Problem(405, "method", "use GET, POST or DELETE")
        }
    }

    // MARK: - JSON

    func json(_ value: some Encodable, status: Int = 200, headers: [(String, String)] = []) throws -> HTTPResponse {
        .json(Array(try APIJSON.encoder().encode(value)), status: status, headers: headers)
    }

    func decoded<Value: Decodable>(_ type: Value.Type, _ request: HTTPRequest) throws -> Value {
        do {
            return try APIJSON.decoder().decode(type, from: Data(request.body))
        } catch let error as DecodingError {
            throw Problem.badRequest(APIJSON.plainText(error))
        }
    }
}
