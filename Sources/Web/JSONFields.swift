package import Foundation
package import Hummingbird
import NIOCore

/// The members of a JSON object that was posted, read one by one by what they should be.
///
/// Every member that is unknown, missing or unusable is noted, and `finish` tells all of them at once. What a reader returns for
/// a bad member is nil; `finish` throws before anybody can take that for an absent one.
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

    /// - Parameter isOptional: whether no body at all will do, as an empty object.
    /// - Throws: `Problem`: another media type (415), a body that is too large (413), no JSON object (400).
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

    /// - Throws: `Problem` for what is no JSON object (400).
    init(json bytes: [UInt8]) throws {
        (members, prefix) = (try Self.members(of: bytes), "")
    }

    private static func members(of bytes: [UInt8]) throws -> [String: JSONValue] {
        let value: JSONValue
        do {
            value = try JSONValue(json: bytes)
        } catch {
            throw Problem(.invalid, "The body cannot be read as JSON: \(error.detail), at byte \(error.position).")
        }
        guard case .object(let members) = value else { throw Problem(.invalid, "The body is no JSON object.") }
        return members
    }

    private init(_ members: [String: JSONValue], prefix: String) {
        (self.members, self.prefix) = (members, prefix)
    }

    /// - Throws: `Problem` with every member that was refused or that nobody asked for.
    package mutating func finish() throws {
        refuseUnread()
        // A body of nothing but mistakes is not answered with many times its size.
        guard refusals.isEmpty else { throw Problem.invalid(Array(refusals.prefix(20))) }
    }

    private mutating func refuseUnread() {
        for name in members.keys.sorted() where !read.contains(name) {
            refuse(String(name.unicodeScalars.prefix(100)), "There is no such field.")
        }
    }

    /// Notes that a member cannot be used.
    package mutating func refuse(_ name: String, _ detail: String) {
        refusals.append(.init(prefix + name, detail))
    }

    /// Whether a member is there, null or not: what is absent from a PATCH stays as it is.
    package func has(_ name: String) -> Bool {
        members[name] != nil
    }

    package func isNull(_ name: String) -> Bool {
        members[name] == .null
    }

    // MARK: Readers

    /// A text of a length in characters, without control characters; `refusal` says what else is wrong with it, or nil.
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

    /// A text of several lines, as a PEM: whatever it holds, up to so many bytes. It is never repeated.
    package mutating func block(_ name: String, upTo limit: Int = 16 * 1024, isRequired: Bool = false) -> String? {
        guard let value = member(name, isRequired) else { return nil }
        guard case .string(let text) = value else { return refused(name, "It must be a string.") }
        guard (1...limit).contains(text.utf8.count), !text.utf8.contains(0)
        else { return refused(name, "It must have 1 to \(limit) bytes, none of them NUL.") }
        return text
    }

    /// A list of different texts.
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
                return refused("\(name)[\(index)]", "It is there twice.")
            }
            texts.append(text)
        }
        return texts
    }

    /// One of the choices that a field has.
    /// - Parameter advice: the next step for a caller that sent another value.
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

    /// A list of different choices.
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

    /// A time in RFC 3339.
    package mutating func time(_ name: String, after earliest: Date? = nil, isRequired: Bool = false) -> Date? {
        guard let value = member(name, isRequired) else { return nil }
        guard case .string(let text) = value, let time = RFC3339.date(text)
        else { return refused(name, "Write a time as RFC 3339, for example 2026-11-01T00:00:00Z.") }
        if let earliest, time <= earliest { return refused(name, "It must lie in the future.") }
        return time
    }

    /// A member of whatever shape.
    package mutating func value(_ name: String) -> JSONValue? {
        member(name, false)
    }

    /// An object, read by the body.
    package mutating func object<T>(_ name: String, isRequired: Bool = false, _ body: (inout JSONFields) -> T) -> T? {
        guard let value = member(name, isRequired) else { return nil }
        guard case .object(let members) = value else { return refused(name, "It must be an object.") }
        var inner = JSONFields(members, prefix: "\(prefix)\(name).")
        let result = body(&inner)
        inner.refuseUnread()
        refusals += inner.refusals
        return result
    }

    /// A list of objects, each read by the body.
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
