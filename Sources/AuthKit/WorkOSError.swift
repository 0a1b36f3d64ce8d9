import Access
import HTTPTypes
import Hummingbird
import Web

/// An error of WorkOS's interface that is not about OAuth: a code for the program, and a message for its developer.
struct WorkOSError: Error, Sendable {
    let status: HTTPResponse.Status
    let code: String
    let message: String
    var fields: [Problem.Field] = []
    var headers: HTTPFields = [:]

    private struct Field: Encodable {
        let field, message: String
    }

    private struct Body: Encodable {
        let message, code: String
        let errors: [Field]?
    }

    init(status: HTTPResponse.Status, code: String, message: String) {
        (self.status, self.code, self.message) = (status, code, message)
    }

    /// The same refusal under WorkOS's names.
    init(_ problem: Problem) {
        let (status, code) =
            switch problem.code {
            case .invalid: (HTTPResponse.Status.unprocessableContent, "invalid_request_parameters")
            case .notFound: (problem.code.status, "entity_not_found")
            case .unauthenticated: (problem.code.status, "unauthorized")
            default: (problem.code.status, problem.code.rawValue)
            }
        self.init(status: status, code: code, message: problem.detail)
        (fields, headers) = (problem.fields, problem.headers)
    }

    func response() throws -> Response {
        let errors = fields.isEmpty ? nil : fields.map { Field(field: $0.field, message: $0.detail) }
        return try .json(Body(message: message, code: code, errors: errors), status: status, headers: headers)
    }
}

extension WorkOSError: HTTPResponseError {
    func response(from request: Request, context: some RequestContext) throws -> Response {
        (context as? any RecordedContext)?.record.note(outcome: code)
        return try response()
    }
}
