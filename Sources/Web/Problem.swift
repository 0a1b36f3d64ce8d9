import Encoding
import Foundation
package import HTTPTypes
package import Hummingbird
import NIOCore

/// An error of the REST API, sent as RFC 9457's `application/problem+json`.
///
/// Actions throw it, and `Edge` turns it into the response. `detail` names the rejected input and the next step.
/// Unauthenticated callers may read it, so it contains no secret and never reveals whether another caller's object
/// exists.
package struct Problem: Error, Sendable {
    /// The codes of `openapi.yaml`, schema `Problem`.
    package enum Code: String, Sendable {
        case invalid
        case unauthenticated
        case insufficientScope = "insufficient_scope"
        case operatorRequired = "operator_required"
        case recentSignInRequired = "recent_sign_in_required"
        case supportRequired = "support_required"
        case planRequired = "plan_required"
        case notFound = "not_found"
        case methodNotAllowed = "method_not_allowed"
        case conflict
        case alreadyExists = "already_exists"
        case requestRunning = "request_running"
        case preconditionFailed = "precondition_failed"
        case tooLarge = "too_large"
        case unsupportedMediaType = "unsupported_media_type"
        case appleRefused = "apple_refused"
        case idempotencyKeyReused = "idempotency_key_reused"
        case preconditionRequired = "precondition_required"
        case rateLimited = "rate_limited"
        case requestTimeout = "request_timeout"
        case unavailable
        case unexpected

        package var status: HTTPResponse.Status {
            switch self {
            case .invalid: .badRequest
            case .unauthenticated: .unauthorized
            case .insufficientScope: .forbidden
            case .operatorRequired: .forbidden
            case .recentSignInRequired: .forbidden
            case .supportRequired: .forbidden
            case .planRequired: .forbidden
            case .notFound: .notFound
            case .methodNotAllowed: .methodNotAllowed
            case .conflict: .conflict
            case .alreadyExists: .conflict
            case .requestRunning: .conflict
            case .preconditionFailed: .preconditionFailed
            case .tooLarge: .contentTooLarge
            case .unsupportedMediaType: .unsupportedMediaType
            case .appleRefused: .unprocessableContent
            case .idempotencyKeyReused: .unprocessableContent
            case .preconditionRequired: .preconditionRequired
            case .rateLimited: .tooManyRequests
            case .requestTimeout: .requestTimeout
            case .unavailable: .serviceUnavailable
            case .unexpected: .internalServerError
            }
        }

        var title: String {
            switch self {
            case .invalid: "The request is not valid"
            case .unauthenticated: "Authentication is required"
            case .insufficientScope: "The caller's scopes do not allow this"
            case .operatorRequired: "Only an operator may do this"
            case .recentSignInRequired: "A recent sign-in is required"
            case .supportRequired: "A support access is required"
            case .planRequired: "The plan does not include this"
            case .notFound: "Not found"
            case .methodNotAllowed: "The method is not allowed here"
            case .conflict: "The current state does not allow this"
            case .alreadyExists: "It already exists"
            case .requestRunning: "The same request is in progress"
            case .preconditionFailed: "The resource has changed"
            case .tooLarge: "The request is too large"
            case .unsupportedMediaType: "The media type is not supported"
            case .appleRefused: "Apple does not accept these credentials"
            case .idempotencyKeyReused: "This Idempotency-Key was used for another request"
            case .preconditionRequired: "If-Match is required"
            case .rateLimited: "Too many requests"
            case .requestTimeout: "The request took too long"
            case .unavailable: "Temporarily unavailable"
            case .unexpected: "Unexpected error"
            }
        }
    }

    /// One invalid field.
    package struct Field: Codable, Sendable {
        package let field: String
        package let detail: String

        package init(_ field: String, _ detail: String) {
            (self.field, self.detail) = (field, detail)
        }
    }

    package let code: Code
    package let detail: String
    package var fields: [Field] = []
    package var headers: HTTPFields = [:]

    package init(_ code: Code, _ detail: String, fields: [Field] = []) {
        (self.code, self.detail, self.fields) = (code, detail, fields)
        switch code {
        case .unauthenticated: headers[.wwwAuthenticate] = "Bearer realm=\"espalier\""
        case .recentSignInRequired:
            // RFC 9470, section 3.
            headers[.wwwAuthenticate] = "Bearer realm=\"espalier\", error=\"insufficient_user_authentication\", max_age=600"
        case .unavailable: headers[.retryAfter] = "5"
        default: break
        }
    }

    /// No operation has the path, or the operation is not enabled. Both get the same response.
    package static let unknownPath = Problem(.notFound, "No operation has this path. Check the URL.")

    /// The response to a failed look-up and to a caller without access. Both are the same.
    package static func notFound(_ thing: String) -> Problem {
        Problem(
            .notFound,
            "\(thing.prefix(1).uppercased() + thing.dropFirst()) not found. "
                + "Check the \(thing == "tenant" ? "slug" : "path") and your API key.")
    }

    /// The response to invalid parameters or body fields, each with its reason.
    package static func invalid(_ fields: Field...) -> Problem {
        .invalid(fields)
    }

    package static func invalid(_ fields: [Field]) -> Problem {
        Problem(.invalid, fields.map { "\($0.field): \($0.detail)" }.joined(separator: " "), fields: fields)
    }

    private struct Body: Encodable {
        let type, title: String
        let status: Int
        let detail, instance, code, request_id: String
        let errors: [Field]?
    }

    /// - Parameters:
    ///   - instance: The path of the request.
    ///   - requestID: The value of `Request-Id`, for a report to the operator.
    package func response(instance: String, requestID: String) -> Response {
        let bytes = encoded(instance: instance, requestID: requestID)
        var headers = headers
        headers[.contentType] = "application/problem+json"
        headers[.contentLength] = "\(bytes.count)"
        headers[.cacheControl] = "no-store"
        return Response(status: code.status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The body of the response.
    func encoded(instance: String, requestID: String) -> [UInt8] {
        let body = Body(
            type: "https://espalier.dev/problems/\(code.rawValue)", title: code.title, status: code.status.code, detail: detail,
            instance: instance, code: code.rawValue, request_id: requestID, errors: fields.isEmpty ? nil : fields)
        // Encoding cannot fail, because there are only strings and integers.
        return try! JSONWriter.encode(body)
    }
}
