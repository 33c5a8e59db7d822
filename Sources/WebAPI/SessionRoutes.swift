import Foundation
import HubKit
import WebServer

/// The page's own session: a cookie that only this site sends and no script reads.
extension HubAPI {
    private struct SignIn: Decodable { var token: String }
    private struct SignedIn: Encodable { var role: String }

    func currentSession(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let role = try await gate.currentRole(request) else {
            throw Problem(
                401, "permissionDenied", "not signed in; POST {\"token\": \"opk_…\"} to /api/v1/session to do so")
        }
        return try json(SignedIn(role: role.rawValue))
    }

    func signIn(_ request: HTTPRequest) async throws -> HTTPResponse {
        try gate.checkOrigin(request)
        let body = try decoded(SignIn.self, request, .signIn)
        guard let role = try await gate.role(ofToken: body.token) else {
            // Slow, so that guessing is hopeless.
            try await Task.sleep(for: .milliseconds(300))
            throw Problem(
                401, "permissionDenied", "the access token is not valid; create one with 'offpeak token create'")
        }
        let attributes = request.isEncrypted ? "HttpOnly; Secure" : "HttpOnly"
        let cookie =
            "\(Gate.cookie)=\(gate.open(role)); Path=/; \(attributes); SameSite=Strict; Max-Age=\(Gate.sessionSeconds)"
        return try json(SignedIn(role: role.rawValue), headers: [("Set-Cookie", cookie)])
    }

    func signOut(_ request: HTTPRequest) throws -> HTTPResponse {
        try gate.checkOrigin(request)
        gate.close(request)
        return HTTPResponse(
            status: 204, headers: [("Set-Cookie", "\(Gate.cookie)=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")])
    }
}

/// Bodies in and out.
extension HubAPI {
    func json(_ value: some Encodable, status: Int = 200, headers: [(String, String)] = []) throws -> HTTPResponse {
        .json(Array(try APIJSON.encoder().encode(value)), status: status, headers: headers)
    }

    /// A request's body as a value.
    /// - Parameter shape: the keys that it may have.
    /// - Throws: `Problem` with the place that is wrong and how to mend it.
    func decoded<Value: Decodable>(_ type: Value.Type, _ request: HTTPRequest, _ shape: JSONShape = .anything)
        throws -> Value
    {
        let tree = try HubAPI.tree(of: request)
        do {
            try shape.check(tree)
            return try APIJSON.decoder().decode(type, from: Data(request.body))
        } catch let fault as JSONShape.Fault {
            throw Problem.badRequest(fault.description)
        } catch let error as DecodingError {
            throw Problem.badRequest(APIJSON.plainText(error))
        }
    }

    /// A request's body, looked over before it is decoded.
    static func tree(of request: HTTPRequest) throws -> JSONTree {
        do {
            return try JSONTree(request.body)
        } catch {
            throw Problem.badRequest("the body is not JSON: \(plainWords(of: error))")
        }
    }
}
