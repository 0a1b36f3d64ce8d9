package import Encoding
package import Foundation
package import Hummingbird
import NIOCore

/// The members of a posted JSON object, read one by one with their expected types.
///
/// Every unknown, missing or invalid member is recorded, and `finish` reports all of them at once. A reader returns nil for an
/// invalid member. `finish` throws before any code can treat this nil as an absent member.
/// ```swift
/// var fields = try await JSONFields(request)
/// let slug = fields.text("slug", isRequired: true) { Tenant.isSlug($0) ? nil : "…" }
/// let plan = fields.choice("plan", Tenant.Plan.self)
/// try fields.finish()
/// ```
package struct JSONFields {
    private let members: [String: JSONValue]
    private var read: Set<String> = []
    private var refusals: [Problem.Field] = []
    private let prefix: String

    /// - Parameter isOptional: Whether a missing body counts as an empty object.
    /// - Throws: `Problem`: another media type (415), a body that is too large (413), a body that is not a JSON
    ///   object (400).
    package init(_ request: Request, upTo limit: Int = 64 * 1024, isOptional: Bool = false) async throws {
        let buffer = try await request.body.whole(upTo: limit)
        prefix = ""
        if buffer.readableBytes == 0, isOptional {
            members = [:]
            return
        }
        guard request.mediaType == "application/json"
        else { throw Problem(.unsupportedMediaType, "Send a JSON object with `Content-Type: application/json`.") }
        members = try Self.members(of: Array(buffer.readableBytesView))
    }

    /// - Throws: `Problem` for a body that is not a JSON object (400).
    init(json bytes: [UInt8]) throws {
        (members, prefix) = (try Self.members(of: bytes), "")
    }

    private static func members(of bytes: [UInt8]) throws -> [String: JSONValue] {
        let value: JSONValue
        do {
            value = try JSONValue(json: bytes)
        } catch {
            throw Problem(.invalid, "The request body is not valid JSON: \(error.detail), at byte \(error.position).")
        }
        guard case .object(let members) = value else { throw Problem(.invalid, "The request body must be a JSON object.") }
        return members
    }

    private init(_ members: [String: JSONValue], prefix: String) {
        (self.members, self.prefix) = (members, prefix)
    }

    /// - Throws: `Problem` with all invalid and unknown members.
    package mutating func finish() throws {
        refuseUnread()
        // At most 20 mistakes are reported, so that the response to a body full of mistakes is not much larger than
        // the body.
        guard refusals.isEmpty else { throw Problem.invalid(Array(refusals.prefix(20))) }
    }

    /// Refuses a body with members, for an action that has none.
    package func requireEmpty() throws {
        var fields = self
        try fields.finish()
    }

    /// Like `finish`, but ignores unknown members, for an interface whose clients may send more than it reads.
    package func finishKnown() throws {
        guard refusals.isEmpty else { throw Problem.invalid(Array(refusals.prefix(20))) }
    }

    private mutating func refuseUnread() {
        for name in members.keys.sorted() where !read.contains(name) {
            refuse(String(name.unicodeScalars.prefix(100)), "This field is unknown. Remove it or check its spelling.")
        }
    }

    /// Records an invalid member.
    package mutating func refuse(_ name: String, _ detail: String) {
        refusals.append(.init(prefix + name, detail))
    }

    /// Whether a member is present, null or not. A PATCH does not change an absent member.
    package func has(_ name: String) -> Bool {
        members[name] != nil
    }

    package func isNull(_ name: String) -> Bool {
        members[name] == .null
    }

    // MARK: Readers

    /// Reads a text with a length in characters and without control characters. `refusal` returns another problem of
    /// the text, or nil.
    package mutating func text(
        _ name: String, _ length: ClosedRange<Int> = 1...200, isRequired: Bool = false, refusal: (String) -> String? = { _ in nil }
    ) -> String? {
        guard let value = member(name, isRequired) else { return nil }
        guard case .string(let text) = value else { return refused(name, "It must be a string.") }
        guard length.contains(text.unicodeScalars.count)
        else { return refused(name, "It must have \(length.lowerBound) to \(length.upperBound) characters.") }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return refused(name, "It must not contain control characters.") }
        if let refusal = refusal(text) { return refused(name, refusal) }
        return text
    }

    /// Reads a text of several lines, such as a PEM, up to a number of bytes. Its content is never included in a
    /// response.
    package mutating func block(_ name: String, upTo limit: Int = 16 * 1024, isRequired: Bool = false) -> String? {
        guard let value = member(name, isRequired) else { return nil }
        guard case .string(let text) = value else { return refused(name, "It must be a string.") }
        guard (1...limit).contains(text.utf8.count), !text.utf8.contains(0)
        else { return refused(name, "It must have 1 to \(limit) bytes without NUL.") }
        return text
    }

    /// Reads a list of distinct texts.
    package mutating func texts(
        _ name: String, count: ClosedRange<Int>, isRequired: Bool = false, refusal: (String) -> String? = { _ in nil }
    ) -> [String]? {
        guard let value = member(name, isRequired) else { return nil }
        guard case .array(let values) = value else { return refused(name, "It must be a list of strings.") }
        guard count.contains(values.count) else {
            return refused(name, "It must have \(count.lowerBound) to \(count.upperBound) elements.")
        }
        var texts: [String] = []
        for (index, value) in values.enumerated() {
            guard case .string(let text) = value else { return refused("\(name)[\(index)]", "It must be a string.") }
            guard (1...2000).contains(text.utf8.count), !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else { return refused("\(name)[\(index)]", "It must have 1 to 2000 bytes and no control characters.") }
            if let refusal = refusal(text) { return refused("\(name)[\(index)]", refusal) }
            guard !texts.contains(where: { $0.utf8.elementsEqual(text.utf8) }) else {
                return refused("\(name)[\(index)]", "It occurs twice. Remove one.")
            }
            texts.append(text)
        }
        return texts
    }

    /// Reads one of the choices of a field.
    /// - Parameter advice: The next step for a caller that sent another value.
    package mutating func choice<Choice: CaseIterable & RawRepresentable>(
        _ name: String, _: Choice.Type = Choice.self, isRequired: Bool = false, advice: String? = nil
    ) -> Choice? where Choice.RawValue == String {
        guard let value = member(name, isRequired) else { return nil }
        guard case .string(let text) = value, let choice = Choice(rawValue: text) else {
            let rule = "It must be one of \(Choice.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "))."
            return refused(name, advice.map { "\(rule) \($0)" } ?? rule)
        }
        return choice
    }

    /// Reads a list of distinct choices.
    package mutating func choices<Choice: CaseIterable & RawRepresentable & Hashable>(
        _ name: String, _: Choice.Type = Choice.self, isRequired: Bool = false
    ) -> [Choice]? where Choice.RawValue == String {
        guard
            let texts = texts(
                name, count: 1...Choice.allCases.count, isRequired: isRequired,
                refusal: {
                    Choice(rawValue: $0) == nil
                        ? "It must be one of \(Choice.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "))." : nil
                })
        else { return nil }
        return texts.compactMap(Choice.init)
    }

    package mutating func integer(_ name: String, _ range: ClosedRange<Int>, isRequired: Bool = false) -> Int? {
        guard let value = member(name, isRequired) else { return nil }
        guard case .integer(let number) = value, range.contains(number)
        else { return refused(name, "It must be a whole number between \(range.lowerBound) and \(range.upperBound).") }
        return number
    }

    package mutating func flag(_ name: String, isRequired: Bool = false) -> Bool? {
        guard let value = member(name, isRequired) else { return nil }
        guard case .bool(let flag) = value else { return refused(name, "It must be true or false.") }
        return flag
    }

    /// Reads a time in RFC 3339.
    package mutating func time(_ name: String, after earliest: Date? = nil, isRequired: Bool = false) -> Date? {
        guard let value = member(name, isRequired) else { return nil }
        guard case .string(let text) = value, let time = RFC3339.date(text)
        else { return refused(name, "Write a time as RFC 3339, for example 2026-11-01T00:00:00Z.") }
        if let earliest, time <= earliest { return refused(name, "It must be in the future.") }
        return time
    }

    /// Reads a member of any type.
    package mutating func value(_ name: String) -> JSONValue? {
        member(name, false)
    }

    /// Reads an object with the closure.
    package mutating func object<T>(_ name: String, isRequired: Bool = false, _ body: (inout JSONFields) -> T) -> T? {
        guard let value = member(name, isRequired) else { return nil }
        guard case .object(let members) = value else { return refused(name, "It must be an object.") }
        var inner = JSONFields(members, prefix: "\(prefix)\(name).")
        let result = body(&inner)
        inner.refuseUnread()
        refusals += inner.refusals
        return result
    }

    /// Reads a list of objects, each with the closure.
    package mutating func objects<T>(
        _ name: String, count: ClosedRange<Int>, isRequired: Bool = false, _ body: (inout JSONFields) -> T
    ) -> [T]? {
        guard let value = member(name, isRequired) else { return nil }
        guard case .array(let values) = value else { return refused(name, "It must be a list of objects.") }
        guard count.contains(values.count) else {
            return refused(name, "It must have \(count.lowerBound) to \(count.upperBound) elements.")
        }
        var results: [T] = []
        for (index, value) in values.enumerated() {
            guard case .object(let members) = value else { return refused("\(name)[\(index)]", "It must be an object.") }
            var inner = JSONFields(members, prefix: "\(prefix)\(name)[\(index)].")
            results.append(body(&inner))
            inner.refuseUnread()
            refusals += inner.refusals
        }
        return results
    }

    /// Null counts as absent.
    private mutating func member(_ name: String, _ isRequired: Bool) -> JSONValue? {
        read.insert(name)
        if let value = members[name], value != .null { return value }
        if isRequired { refuse(name, "It is required.") }
        return nil
    }

    private mutating func refused<T>(_ name: String, _ detail: String) -> T? {
        refuse(name, detail)
        return nil
    }
}
