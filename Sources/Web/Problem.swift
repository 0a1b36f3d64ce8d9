package import HTTPTypes
package import Hummingbird
import Foundation
import NIOCore

/// A refusal of the REST API, told as RFC 9457's `application/problem+json`.
///
/// Thrown by actions; `Edge` turns it into the answer. `detail` says what was refused and what to do,
/// and is read by strangers: nothing secret, nothing that tells whether somebody else's thing exists.
package struct Problem: Error, Sendable {
    /// The codes of `openapi.yaml`, schema `Problem`.
    package enum Code: String, Sendable {
        case invalid
        case unauthenticated
        case insufficientScope = "insufficient_scope"
        case operatorRequired = "operator_required"
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
            case .insufficientScope: "The API key's scopes do not allow this"
            case .operatorRequired: "Only an operator's API key may do this"
            case .planRequired: "The plan does not include this"
            case .notFound: "Not found"
            case .methodNotAllowed: "The method is not allowed here"
            case .conflict: "It is not in a state that allows this"
            case .alreadyExists: "There is one already"
            case .requestRunning: "The same request is being answered"
            case .preconditionFailed: "It has changed meanwhile"
            case .tooLarge: "The request is too large"
            case .unsupportedMediaType: "The body is of another type than this takes"
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

    /// One field that was refused.
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
        case .unavailable: headers[.retryAfter] = "5"
        default: break
        }
    }

    /// The answer to a look-up in vain, and to a stranger: both read the same.
    package static func notFound(_ thing: String) -> Problem {
        Problem(.notFound, "There is no such \(thing), or it is not yours.")
    }

    /// Parameters or body fields that cannot be used, each with its reason.
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
    ///   - instance: the path that was asked for.
    ///   - requestID: what `Request-Id` says, for whoever asks the operator about it.
    package func response(instance: String, requestID: String) -> Response {
        let bytes = encoded(instance: instance, requestID: requestID)
        var headers = headers
        headers[.contentType] = "application/problem+json"
        headers[.contentLength] = "\(bytes.count)"
        headers[.cacheControl] = "no-store"
        return Response(status: code.status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The answer's body.
    func encoded(instance: String, requestID: String) -> [UInt8] {
        let body = Body(
            type: "https://espalier.dev/problems/\(code.rawValue)", title: code.title, status: code.status.code, detail: detail,
            instance: instance, code: code.rawValue, request_id: requestID, errors: fields.isEmpty ? nil : fields)
        // Strings and integers: encoding them cannot fail.
        return try! JSONWriter.encode(body)
    }
}
