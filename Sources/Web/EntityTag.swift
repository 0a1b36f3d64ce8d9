package import Foundation
package import HTTPTypes
package import Hummingbird

/// The version of a resource (RFC 9110, section 8.8.3): mostly from the time of its last change, which grows with every change.
package struct EntityTag: Sendable {
    package let text: String

    package init(_ updatedAt: Date) {
        // A time that was just written, and the same one read again, are one version.
        text = "\"" + String(Int64(updatedAt.inMicroseconds), radix: 36) + "\""
    }

    /// Of what has no such time: from a digest of all that makes it what it is.
    package init(digest: [UInt8]) {
        text = "\"" + digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\""
    }
}

extension Request {
    /// Holds a change to `If-Match` (RFC 9110, section 13.1.1).
    /// - Parameter isRequired: whether a change without one is refused.
    /// - Throws: `Problem`: 428 when it is missing, 412 when it names another version.
    package func requireMatch(_ tag: EntityTag, isRequired: Bool = false) throws {
        guard let header = headers[.ifMatch] else {
            guard isRequired else { return }
            throw Problem(
                .preconditionRequired, "Send `If-Match` with the `ETag` of what you have read, so that nobody's change is lost.")
        }
        let given = header.listElements
        guard given.count == 1 && given.has("*") || given.has(tag.text)
        else {
            throw Problem(
                .preconditionFailed, "It has changed since you read it. Read it again, and repeat the change with the new `ETag`.")
        }
    }
}

extension Response {
    /// A single resource, with its version.
    package static func resource(
        _ value: some Encodable, updatedAt: Date, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws -> Response {
        var headers = headers
        headers[.eTag] = EntityTag(updatedAt).text
        return try .json(value, status: status, headers: headers)
    }

    /// Done, and nothing to say.
    package static var noContent: Response {
        Response(status: .noContent, headers: [.cacheControl: "no-store"])
    }
}

extension Date {
    /// This time, or, where the clock stands still or goes back, the moment after the last change: versions grow. In whole
    /// microseconds, as the database has it.
    package func asChange(after last: Date) -> Date {
        let microseconds = max(inMicroseconds, last.inMicroseconds + 1)
        return Date(timeIntervalSinceReferenceDate: microseconds / 1_000_000)
    }

    /// Rounded as the database does it, from the same epoch: `timeIntervalSince1970` has a bit less of precision, enough to miss it
    /// by one.
    fileprivate var inMicroseconds: Double { (timeIntervalSinceReferenceDate * 1_000_000).rounded() }
}
