package import Encoding
package import Foundation
package import HTTPTypes
package import Hummingbird

/// The version of a resource (RFC 9110, section 8.8.3). It is usually the time of the last change, which grows with every
/// change.
package struct EntityTag: Sendable {
    package let text: String

    package init(_ updatedAt: Date) {
        // The time that was just written and the same time read again must be one version.
        text = "\"" + String(Int64(updatedAt.inMicroseconds), radix: 36) + "\""
    }

    /// For a resource without such a time: a digest of all its parts.
    package init(digest: [UInt8]) {
        text = "\"\(digest.hexadecimal)\""
    }
}

extension Request {
    /// Checks a change against `If-Match` (RFC 9110, section 13.1.1).
    /// - Parameter isRequired: Whether a change without `If-Match` is rejected.
    /// - Throws: `Problem`: 428 if it is missing, 412 if it names another version.
    package func requireMatch(_ tag: EntityTag, isRequired: Bool = false) throws {
        guard let header = headers[.ifMatch] else {
            guard isRequired else { return }
            throw Problem(
                .preconditionRequired, "Send `If-Match` with the `ETag` that you read, so that no other change is lost.")
        }
        let given = header.listElements
        guard given.count == 1 && given.has("*") || given.has(tag.text)
        else {
            throw Problem(
                .preconditionFailed, "The resource has changed since you read it. Read it again and retry with the new `ETag`.")
        }
    }
}

extension Response {
    /// A response with a single resource and its version.
    package static func resource(
        _ value: some Encodable, updatedAt: Date, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws -> Response {
        try .json(value, status: status, headers: headers.with(updatedAt))
    }

    /// The same without an encoder.
    package static func resource(
        _ value: some JSONWritable, updatedAt: Date, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws -> Response {
        try .json(value, status: status, headers: headers.with(updatedAt))
    }

    /// A response without a body.
    package static var noContent: Response {
        Response(status: .noContent, headers: [.cacheControl: "no-store"])
    }
}

extension HTTPFields {
    fileprivate func with(_ updatedAt: Date) -> HTTPFields {
        var fields = self
        fields.set(HTTPField(name: .eTag, value: EntityTag(updatedAt).text))
        return fields
    }
}

extension Date {
    /// Returns this time, or the microsecond after the last change if the clock stands still or goes back. So versions
    /// always grow. The result is in whole microseconds, as in the database.
    package func asChange(after last: Date) -> Date {
        let microseconds = max(inMicroseconds, last.inMicroseconds + 1)
        return Date(timeIntervalSinceReferenceDate: microseconds / 1_000_000)
    }

    /// Rounded as in the database, from the same epoch. `timeIntervalSince1970` has slightly less precision, which can change the
    /// result by one.
    fileprivate var inMicroseconds: Double { (timeIntervalSinceReferenceDate * 1_000_000).rounded() }
}
