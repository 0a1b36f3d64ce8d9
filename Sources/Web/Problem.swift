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
        case notFound = "not_found"
        case methodNotAllowed = "method_not_allowed"
        case tooLarge = "too_large"
        case unavailable
        case unexpected

        var status: HTTPResponse.Status {
            switch self {
            case .invalid: .badRequest
            case .unauthenticated: .unauthorized
            case .insufficientScope: .forbidden
            case .notFound: .notFound
            case .methodNotAllowed: .methodNotAllowed
            case .tooLarge: .contentTooLarge
            case .unavailable: .serviceUnavailable
            case .unexpected: .internalServerError
            }
        }

        var title: String {
            switch self {
            case .invalid: "The request is not valid"
            case .unauthenticated: "Authentication is required"
            case .insufficientScope: "The API key's scopes do not allow this"
            case .notFound: "Not found"
            case .methodNotAllowed: "The method is not allowed here"
            case .tooLarge: "The request is too large"
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
        let body = Body(
            type: "https://espalier.dev/problems/\(code.rawValue)", title: code.title, status: code.status.code, detail: detail,
            instance: instance, code: code.rawValue, request_id: requestID, errors: fields.isEmpty ? nil : fields)
        // Strings and integers: encoding them cannot fail.
        let bytes = try! JSONEncoder.wire.encode(body)
        var headers = headers
        headers[.contentType] = "application/problem+json"
        headers[.contentLength] = "\(bytes.count)"
        headers[.cacheControl] = "no-store"
        return Response(status: code.status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
