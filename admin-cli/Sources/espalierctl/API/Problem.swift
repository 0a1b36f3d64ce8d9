import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A refusal of the REST API: `application/problem+json` (RFC 9457) with Espalier's `code`, `errors` and `request_id`.
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
    /// After how many seconds to try again, where the server says it.
    private let retryAfter: Int?

    /// Reads as much as the answer has: what stands between us and Espalier may answer with a page instead of a problem.
    init(_ data: Data, _ response: HTTPURLResponse) {
        document = try? JSONDecoder().decode(Document.self, from: data)
        status = response.statusCode
        code = document?.code
        requestID = document?.requestID ?? response.value(forHTTPHeaderField: "Request-Id")
        retryAfter = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
    }

    /// The same for the person at the terminal.
    var failure: Failure {
        let fields = document?.errors ?? []
        // The detail of a refused request is its fields' details, one after another: they read better as lines.
        let isRepeated = !fields.isEmpty && fields.allSatisfy { document?.detail?.contains($0.detail) == true }
        let detail = isRepeated ? document?.title.map { "\($0)." } : document?.detail ?? document?.title
        return Failure(
            status: status == 401 ? .unauthenticated : .failure,
            detail: detail ?? "The server answered with status \(status) and no explanation.",
            fields: fields.map { "\($0.field): \($0.detail)" },
            requestID: requestID,
            nextStep: nextStep,
            problem: .init(status: status, code: code))
    }

    /// The same for a call, whose path may have a name where an ID belongs, or no name at all.
    func failure(of call: Call) -> Failure {
        guard code == "not_found" else { return failure }
        var failure = failure
        if ["platform/usage-sink", "platform/usage-sink/retry"].contains(call.path) {
            failure.nextStep = "Set one up: espalierctl usage sink create"
        } else if let advice = NamedByID.advice(forPath: call.path) {
            failure.nextStep = advice
        }
        return failure
    }

    private var nextStep: String {
        switch code {
        case "operator_required": return "Use an operator's API key; a tenant's may not do this."
        case "insufficient_scope":
            return "Use an API key that has the scope for this; espalierctl api-keys issue --scope … makes one."
        case "plan_required":
            return
                "An operator can change the plan (espalierctl tenants update SLUG --plan enterprise); until then the shared connection serves."
        case "already_exists": return "Look for it with the list command, or choose another name."
        case "request_running": return "Wait until the first one is answered, then look whether it was done."
        case "precondition_failed": return "Look at it again, then repeat the change."
        case "precondition_required": return "Pass --if-match with the ETag of what you have read."
        case "apple_refused":
            return "Check Team ID, Services ID, Key ID and the key file; espalierctl connections check says which is wrong."
        case "idempotency_key_reused": return "Repeat the command; it sends a new key."
        default: break
        }
        // Every 404 of Espalier's says what there is none of; this one is another program's.
        if status == 404, document?.detail == nil, document?.title == nil {
            return "Check the base URL: what answers there isn't Espalier's API."
        }
        return switch status {
        case 300...399: "Pass the address it points to as the base URL; a redirect isn't followed with an API key."
        case 401: "Pass a valid key by ESPALIER_API_KEY or --api-key-file; it may have expired or been revoked."
        case 403: "Use an API key that has the scope for this."
        case 404: "Check the name, and that the API key belongs to this tenant."
        case 409: retryAfter.map { "Run it again in \($0) s." } ?? "Look at how things stand; another step may have to come first."
        case 413: "Send less at once."
        case 429: "Wait a little, then try again."
        case 500...599: "Try again; if it stays so, give the request id to the operator."
        default: "Correct the call; --help shows how."
        }
    }
}
