import Foundation
import Synchronization

@testable import espalierctl

/// A platform that stores the resources that an onboarding creates.
final class OnboardingPlatform: Sendable {
    private struct State {
        var tenant: String?
        var application: String?
        var connection: (team: String, isServing: Bool)?
        /// Whether the tenant has users, so that activation needs a choice.
        var hasUsers = false
    }

    let server: StubServer

    /// Apple accepts this team and no other.
    static let team = "A1B2C3D4E5"

    init(hasUsers: Bool = false) throws {
        let state = Mutex(State(hasUsers: hasUsers))
        server = try StubServer { request in state.withLock { Self.answer(request, &$0) } }
    }

    /// The calls that change something, in their order.
    var changes: [String] {
        server.received.filter { $0.method != "GET" }.map(\.call)
    }

    private static func answer(_ request: StubServer.Request, _ state: inout State) -> StubServer.Answer {
        let body = try? JSONDecoder().decode(JSON.self, from: Data(request.body.utf8))
        let tagged = ["Content-Type": "application/json", "ETag": "\"v\""]
        func connection() -> String? {
            state.connection.map { made in
                let isAccepted = made.team == team
                return Examples.connection(
                    outcome: isAccepted ? "passed" : "failed", isServing: made.isServing,
                    steps: isAccepted ? Examples.passedSteps : Examples.steps
                ).replacingOccurrences(of: team, with: made.team)
            }
        }
        let missing = StubServer.Answer.problem(404, #"{"detail":"There is no such thing.","code":"not_found"}"#)
        switch "\(request.method) \(request.path.dropFirst("/v1/tenants".count))" {
        case "GET /acme":
            let serving = state.connection?.isServing == true ? #","connection_id":"connection_1"}"# : "}"
            return state.tenant.map { .init(headers: tagged, body: $0.dropLast() + serving) } ?? missing
        case "POST ":
            state.tenant = Examples.tenant.replacingOccurrences(of: "enterprise", with: body?["plan"]?.text ?? "")
            return .init(status: 201, body: state.tenant ?? "")
        case "PATCH /acme":
            state.tenant = Examples.tenant
            return .init(body: Examples.tenant)
        case "GET /acme/applications":
            return .init(body: state.application.map { Examples.list($0) } ?? Examples.list())
        case "POST /acme/applications":
            if body?["redirect_uris"]?.elements?.first == "https://refused.example.com/" {
                return .problem(
                    400, #"{"code":"invalid","detail":"redirect_uris[0]: No.","errors":[{"field":"redirect_uris[0]","detail":"No."}]}"#)
            }
            state.application = Examples.application
            return .init(status: 201, body: Examples.applicationWithSecret)
        case "GET /acme/connections":
            return .init(body: connection().map { Examples.list($0) } ?? Examples.list())
        case "POST /acme/connections":
            state.connection = (body?["team_id"]?.text ?? "", false)
            return .init(status: 201, body: connection() ?? "")
        case "GET /acme/connections/connection_1":
            return connection().map { .init(headers: tagged, body: $0) } ?? missing
        case "DELETE /acme/connections/connection_1":
            state.connection = nil
            return .init(status: 204, body: "")
        case "POST /acme/connections/connection_1/check":
            return .init(
                body: state.connection?.team == team
                    ? Examples.check("passed", Examples.passedSteps) : Examples.check("failed", Examples.steps))
        case "POST /acme/connections/connection_1/activate":
            guard !state.hasUsers || body?["existing_users"] != nil
            else { return .problem(409, #"{"detail":"The tenant has users.","code":"conflict"}"#) }
            state.connection?.isServing = true
            return .init(body: connection() ?? "")
        default:
            return .problem(500, #"{"detail":"\#(request.call) was not expected."}"#)
        }
    }

    // MARK: Flags

    /// All flags of a tenant on the plan `enterprise`, except for the connection.
    static let flags = [
        "tenants", "onboard", "acme", "--name", "Acme", "--plan", "enterprise", "--application-name", "Shop", "--application-kind", "web",
        "--redirect-uri", "https://shop.example.com/callback", "--secret-file", "shop.secret", "--no-input",
    ]
    /// The flags of a connection of the tenant's own.
    static let ownFlags = [
        "--connection", "own", "--team-id", team, "--services-id", "com.example.login", "--key-file", "AuthKey_F6G7H8I9J0.p8",
    ]
}
