import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An error response of the REST API: `application/problem+json` (RFC 9457) with Espalier's `code`, `errors` and `request_id`.
struct Problem {
    private struct Document: Decodable {
        enum CodingKeys: String, CodingKey {
            case detail, title, code, errors
            case requestID = "request_id"
        }

        struct Field: Decodable {
            var field: String
            var detail: String
        }

        var title: String?
        var detail: String?
        var code: String?
        var errors: [Field]?
        var requestID: String?
    }

    let status: Int
    let code: String?
    private let document: Document?
    private let requestID: String?
    /// The names of the fields or parameters that were rejected.
    var fields: [String] { document?.errors?.map(\.field) ?? [] }
    /// The seconds until a retry, if the server states them.
    private let retryAfter: Int?

    /// Reads all parts that the response contains. A proxy in front of Espalier may send a page instead of a problem.
    init(_ data: Data, _ response: HTTPURLResponse) {
        document = try? JSONDecoder().decode(Document.self, from: data)
        status = response.statusCode
        code = document?.code
        requestID = document?.requestID ?? response.value(forHTTPHeaderField: "Request-Id")
        retryAfter = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
    }

    /// The failure to print for this problem.
    var failure: Failure {
        let fields = document?.errors ?? []
        // The detail of a rejected request repeats the details of its fields. Separate lines are easier to read.
        let isRepeated = !fields.isEmpty && fields.allSatisfy { document?.detail?.contains($0.detail) == true }
        let detail = isRepeated ? document?.title.map { "\($0)." } : document?.detail ?? document?.title
        return Failure(
            status: status == 401 ? .unauthenticated : .failure,
            detail: detail ?? "The server responded with status \(status) and no explanation.",
            fields: fields.map { "\($0.field): \($0.detail)" },
            requestID: requestID,
            nextStep: nextStep,
            problem: .init(status: status, code: code))
    }

    /// The failure to print for this call. Its path may have a name in the place of an ID.
    /// - Parameter isLogin: whether a person's login, and not an API key, authenticated the call.
    func failure(of call: Call, isLogin: Bool) -> Failure {
        var failure = failure
        if isLogin, let step = nextStepOfPerson { failure.nextStep = step }
        // The server's texts for an unknown resource are the same for every caller.
        if isLogin { failure.detail = failure.detail.replacing(" and your API key.", with: " and your memberships.") }
        let parts = call.path.parts(at: "/")
        if parts.count > 1, parts[0].isSame(as: "tenants") {
            let tenant = "--tenant \(parts[1])"
            switch (code, parts.last.map(String.init)) {
            case ("support_required", _):
                failure.nextStep = "Start a support access, then repeat the command: espalierctl support start \(tenant) --reason …"
            case ("insufficient_scope", _) where failure.detail.contains("support access"):
                failure.nextStep = "Ask an owner of the tenant to do it, or use an operator's API key."
            case ("not_found", "sso"): failure.nextStep = "Set a provider: espalierctl sso set \(tenant)"
            case ("conflict", "invitations"):
                failure.nextStep =
                    "Delete an open invitation (espalierctl invitations delete ID \(tenant)), or find the member (espalierctl members list \(tenant))."
            case ("conflict", "support-accesses") where !isLogin:
                failure.nextStep = "Run your commands with this API key, without a support access."
            case ("conflict", "support-accesses"):
                failure.nextStep =
                    "End your access (espalierctl support end ID \(tenant)), or ask an owner to allow support (espalierctl tenants update \(parts[1]) --allows-support)."
            default: break
            }
        }
        guard code == "not_found" else { return failure }
        if ["platform/usage-sink", "platform/usage-sink/retry"].contains(call.path) {
            failure.nextStep = "Create it: espalierctl usage sink create"
        } else if let advice = NamedByID.advice(forPath: call.path) {
            failure.nextStep = advice
        } else if call.path.utf8.starts(with: "platform/".utf8) {
            failure.nextStep = "Check the ID."
        }
        return failure
    }

    /// The next step of a person who is logged in, if it differs from that of an API key.
    private var nextStepOfPerson: String? {
        switch (status, code) {
        case (_, "operator_required"): "Log in as an operator. `espalierctl whoami` shows your roles."
        case (_, "insufficient_scope"), (403, nil), (403, "forbidden"):
            "Your role needs the scope. `espalierctl whoami` shows your role. An owner can change it."
        case (_, "recent_sign_in_required"), (_, "support_required"): nil
        case (401, _): "Your login has ended. Log in again: espalierctl login"
        case (404, _) where document?.detail != nil || document?.title != nil:
            "Check the name, and check that you are a member of this tenant: espalierctl whoami"
        default: nil
        }
    }

    private var nextStep: String {
        switch code {
        case "operator_required": return "Use an operator's API key, or log in as an operator. A tenant's API key cannot do this."
        case "invalid" where fields.contains("Espalier-Tenant"): return "Pass --tenant SLUG, or set ESPALIER_TENANT."
        case "insufficient_scope":
            return "Use an API key or a role with the required scope. `espalierctl api-keys issue --scope …` issues a key."
        case "recent_sign_in_required": return "Log in again, then repeat the command: espalierctl login"
        case "support_required":
            return "Start a support access, then repeat the command: espalierctl support start --tenant SLUG --reason …"
        case "plan_required":
            return "An operator can change the plan: espalierctl tenants update SLUG --plan enterprise"
        case "already_exists": return "Find it with the list command, or choose another name."
        case "request_running": return "Wait for the first request, then check its result."
        case "precondition_failed": return "Read the resource again, then repeat the change."
        case "precondition_required": return "Pass --if-match with the ETag of the resource."
        case "apple_refused":
            return "Check the Team ID, Services ID, Key ID and key file. `espalierctl connections check` names the invalid one."
        case "idempotency_key_reused": return "Repeat the command. It sends a new key."
        default: break
        }
        // Every 404 of Espalier names the missing resource. This 404 comes from another program.
        if status == 404, document?.detail == nil, document?.title == nil {
            return "Check the base URL. The program at this address is not Espalier's API."
        }
        return switch status {
        case 300...399:
            "Pass the target of the redirect as the base URL. espalierctl does not follow redirects, because they could leak the API key or the login."
        case 401: "Pass a valid key with ESPALIER_API_KEY or --api-key-file. The current key may have expired or been revoked."
        case 403: "Use an API key or a role with the required scope."
        case 404: "Check the name, and check that the API key belongs to this tenant."
        case 409: retryAfter.map { "Run it again in \($0) s." } ?? "Check the current state. Another step may be required first."
        case 413: "Send less data in one request."
        case 429: "Wait a few seconds, then retry."
        case 500...599: "Retry. If the error persists, give the request ID to the operator."
        default: "Correct the command. --help describes every argument."
        }
    }
}
