import HTTPTypes
import Hummingbird
import Sessions
import Web

/// A refusal in Mushu's form: `detail` is a text, or a list of invalid parts of the request with the status 422.
struct Refusal: Error, Sendable {
    /// An invalid part of the request.
    struct Part: Encodable, Sendable {
        /// The path to the part: `body`, `header` or `query`, and then the name of the field.
        let loc: [String]
        let msg: String
        /// `missing`, or `value_error` for any other defect.
        let type: String

        init(_ path: [String], _ message: String, isMissing: Bool = false) {
            (loc, msg, type) = (path, message, isMissing ? "missing" : "value_error")
        }
    }

    enum Detail: Sendable {
        case text(String)
        case parts([Part])
    }

    let status: HTTPResponse.Status
    let detail: Detail
    /// The short name for the log.
    let outcome: String
    var headers: HTTPFields = [:]

    init(_ parts: [Part], outcome: String) {
        (status, detail, self.outcome) = (.unprocessableContent, .parts(parts), outcome)
    }

    init(_ error: OAuthError) {
        outcome = error.code.rawValue
        switch error.code {
        case .invalidRequest, .invalidScope, .invalidTarget:
            (status, detail) = (.unprocessableContent, .parts([Part(["body"], error.description)]))
        // Mushu's clients sign the user in again after a 401.
        case .invalidGrant: (status, detail) = (.unauthorized, .text(error.description))
        case .unauthorizedClient: (status, detail) = (.forbidden, .text(error.description))
        default: (status, detail) = (error.status, .text(error.description))
        }
        if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer realm=\"espalier\"" }
        if status == .serviceUnavailable { headers[.retryAfter] = "5" }
    }

    init(_ problem: Problem) {
        (outcome, headers) = (problem.code.rawValue, problem.headers)
        guard problem.code == .invalid else {
            (status, detail) = (problem.code.status, .text(problem.detail))
            return
        }
        let parts = problem.fields.map {
            Part(["body", $0.field], $0.detail, isMissing: $0.detail.utf8.elementsEqual("It is required.".utf8))
        }
        (status, detail) = (.unprocessableContent, .parts(parts.isEmpty ? [Part(["body"], problem.detail)] : parts))
    }
}

extension Refusal: HTTPResponseError {
    private struct Body<Detail: Encodable>: Encodable {
        let detail: Detail
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        (context as? any RecordedContext)?.record.note(outcome: outcome)
        switch detail {
        case .text(let text): return try .json(Body(detail: text), status: status, headers: headers)
        case .parts(let parts): return try .json(Body(detail: parts), status: status, headers: headers)
        }
    }
}
