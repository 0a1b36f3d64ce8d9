import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A refusal of the REST API: `application/problem+json` (RFC 9457) with Espalier's `code` and `request_id`.
struct Problem {
    private struct Document: Decodable {
        enum CodingKeys: String, CodingKey {
            case detail, title
            case requestID = "request_id"
        }

        var title: String?
        var detail: String?
        var requestID: String?
    }

    let status: Int
    let detail: String?
    let requestID: String?

    /// Reads as much as the answer has: what stands between us and Espalier may answer with a page instead of a problem.
    init(_ data: Data, _ response: HTTPURLResponse) {
        let document = try? JSONDecoder().decode(Document.self, from: data)
        status = response.statusCode
        detail = document?.detail ?? document?.title
        requestID = document?.requestID ?? response.value(forHTTPHeaderField: "Request-Id")
    }

    /// The same for the person at the terminal.
    var failure: Failure {
        Failure(
            status: status == 401 ? .unauthenticated : .failure,
            detail: detail ?? "The server answered with status \(status) and no explanation.",
            requestID: requestID,
            nextStep: nextStep)
    }

    private var nextStep: String {
        switch status {
        case 300...399: "Pass the address it points to as the base URL; a redirect isn't followed with an API key."
        case 401: "Pass a valid key by ESPALIER_API_KEY or --api-key-file; it may have expired or been revoked."
        case 403: "Use an API key that has the scope for this."
        case 404: "Check the name, and that the API key belongs to this tenant."
        case 429: "Wait a little, then try again."
        case 500...599: "Try again; if it stays so, give the request id to the operator."
        default: "Correct the call; espalierctl help shows how."
        }
    }
}
