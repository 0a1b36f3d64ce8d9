import ArgumentParser
import Foundation

/// A filter for JSON: a small part of the language of jq.
///
/// It has paths (`.a.b`, `.["a b"]`), indexes (`.[0]`, `.[-1]`), all elements (`.[]`), the pipe, `select(.a == "x")`, `length` and `keys`.
/// The text is read by bytes.
struct JQ: ExpressibleByArgument, Sendable {
    enum Step: Equatable, Sendable {
        case member(String)
        case index(Int)
        case elements
    }

    enum Comparison: String, CaseIterable, Sendable {
        // The longer ones come first, because `<` is the start of `<=`.
        case equal = "=="
        case unequal = "!="
        case atMost = "<="
        case atLeast = ">="
        case less = "<"
        case greater = ">"
    }

    enum Stage: Sendable {
        case path([Step])
        case select([Step], (comparison: Comparison, literal: JSON)?)
        case length
        case keys
    }

    let stages: [Stage]

    init?(argument: String) {
        var reader = Reader(bytes: Array(argument.utf8))
        var stages: [Stage] = []
        repeat {
            guard let stage = reader.stage() else { return nil }
            stages.append(stage)
        } while reader.takes("|")
        guard reader.isAtEnd else { return nil }
        self.stages = stages
    }

    /// Reads an expression from its start to its end.
    private struct Reader {
        let bytes: [UInt8]
        var place = 0

        var isAtEnd: Bool { place == bytes.count }

        mutating func skipSpaces() {
            while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
        }

        /// Skips a text and the spaces around it. Returns false, and skips only spaces, if another text is next.
        mutating func takes(_ text: String) -> Bool {
            skipSpaces()
            guard bytes[place...].starts(with: text.utf8) else { return false }
            place += text.utf8.count
            skipSpaces()
            return true
        }

        mutating func stage() -> Stage? {
            skipSpaces()
            switch word() {
            case "length": return .length
            case "keys": return .keys
            case "select": return select()
            case "": return path().map(Stage.path)
            default: return nil
            }
        }

        private mutating func select() -> Stage? {
            guard takes("("), let path = path() else { return nil }
            for comparison in Comparison.allCases where takes(comparison.rawValue) {
                guard let literal = literal(), takes(")") else { return nil }
                return .select(path, (comparison, literal))
            }
            return takes(")") ? .select(path, nil) : nil
        }

        /// A path, which begins with a period.
        private mutating func path() -> [Step]? {
            guard place < bytes.count, bytes[place] == UInt8(ascii: ".") else { return nil }
            var steps: [Step] = []
            var isFirst = true
            while place < bytes.count {
                if bytes[place] == UInt8(ascii: ".") {
                    place += 1
                    let name = place < bytes.count && bytes[place] == UInt8(ascii: "\"") ? string() : word()
                    guard let name else { return nil }
                    // The period alone is the whole value, and a period may precede a bracket.
                    let isBracket = place < bytes.count && bytes[place] == UInt8(ascii: "[")
                    if name.isEmpty, bytes[place - 1] == UInt8(ascii: ".") {
                        guard isFirst || isBracket else { return nil }
                    } else {
                        steps.append(.member(name))
                    }
                } else if bytes[place] == UInt8(ascii: "[") {
                    guard let step = bracket() else { return nil }
                    steps.append(step)
                } else {
                    break
                }
                isFirst = false
            }
            skipSpaces()
            return steps
        }

        private mutating func bracket() -> Step? {
            place += 1
            skipSpaces()
            var step = Step.elements
            if place < bytes.count, bytes[place] == UInt8(ascii: "\"") {
                guard let name = string() else { return nil }
                step = .member(name)
            } else if place < bytes.count, bytes[place] != UInt8(ascii: "]") {
                guard case .integer(let index)? = literal() else { return nil }
                step = .index(index)
            }
            skipSpaces()
            guard place < bytes.count, bytes[place] == UInt8(ascii: "]") else { return nil }
            place += 1
            return step
        }

        /// The letters, digits and underscores that are next.
        private mutating func word() -> String {
            let start = place
            while place < bytes.count {
                switch bytes[place] {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): place += 1
                case UInt8(ascii: "0")...UInt8(ascii: "9") where place > start: place += 1
                default: return String(decoding: bytes[start..<place], as: UTF8.self)
                }
            }
            return String(decoding: bytes[start..<place], as: UTF8.self)
        }

        /// A text in quotation marks, with the escapes of JSON.
        private mutating func string() -> String? {
            let start = place
            place += 1
            while place < bytes.count, bytes[place] != UInt8(ascii: "\"") { place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1 }
            guard place < bytes.count else { return nil }
            place += 1
            return Self.decoded(bytes[start..<place])?.string
        }

        /// A text, a number, `true`, `false` or `null`.
        private mutating func literal() -> JSON? {
            skipSpaces()
            if place < bytes.count, bytes[place] == UInt8(ascii: "\"") { return string().map(JSON.string) }
            let start = place
            while place < bytes.count, bytes[place] != UInt8(ascii: ")"), bytes[place] != UInt8(ascii: "]"), bytes[place] > 0x20 {
                place += 1
            }
            guard let value = Self.decoded(bytes[start..<place]), value.elements == nil else { return nil }
            if case .object = value { return nil }
            return value
        }

        private static func decoded(_ bytes: ArraySlice<UInt8>) -> JSON? {
            // The decoder also reads UTF-16.
            guard !bytes.contains(0) else { return nil }
            return try? JSONDecoder().decode([JSON].self, from: Data("[".utf8 + bytes + "]".utf8)).first
        }
    }
}

extension JQ {
    /// The results for a response.
    /// - Throws: ``Failure`` if a step does not fit the value.
    func results(for value: JSON) throws(Failure) -> [JSON] {
        var values = [value]
        for stage in stages {
            var next: [JSON] = []
            for value in values { next += try Self.results(of: stage, for: value) }
            values = next
        }
        return values
    }

    private static func results(of stage: Stage, for value: JSON) throws(Failure) -> [JSON] {
        switch (stage, value) {
        case (.path(let steps), _): return try follow(steps, from: value)
        case (.select(let steps, let condition), _):
            var chosen: [JSON] = []
            for found in try follow(steps, from: value) {
                var isWanted = found != .null && found != .bool(false)
                if let condition { isWanted = try found.compares(condition.comparison, to: condition.literal) }
                if isWanted { chosen.append(value) }
            }
            return chosen
        case (.length, .null): return [.integer(0)]
        case (.length, .string(let text)): return [.integer(text.unicodeScalars.count)]
        case (.length, .array(let elements)): return [.integer(elements.count)]
        case (.length, .object(let members)): return [.integer(members.count)]
        case (.keys, .object(let members)): return [.array(members.keys.sorted().map(JSON.string))]
        case (.keys, .array(let elements)): return [.array(elements.indices.map(JSON.integer))]
        case (.length, _): throw mismatch("\(value.kind) has no length.")
        case (.keys, _): throw mismatch("\(value.kind) has no keys.")
        }
    }

    private static func follow(_ steps: [Step], from value: JSON) throws(Failure) -> [JSON] {
        var values = [value]
        for step in steps {
            var next: [JSON] = []
            for value in values {
                switch (step, value) {
                case (.member(let name), .object(let members)): next.append(members[name] ?? .null)
                case (.index(let index), .array(let elements)):
                    // The addition cannot overflow, because one operand is negative.
                    let place = index < 0 ? index + elements.count : index
                    next.append(elements.indices.contains(place) ? elements[place] : .null)
                case (.elements, .array(let elements)): next += elements
                case (.elements, .object(let members)): next += members.sorted { $0.key < $1.key }.map(\.value)
                case (.member, .null), (.index, .null): next.append(.null)
                case (.member(let name), _): throw mismatch("\(value.kind) has no member \(name).")
                case (.index(let index), _): throw mismatch("\(value.kind) has no element \(index).")
                case (.elements, _): throw mismatch("\(value.kind) has no elements.")
                }
            }
            values = next
        }
        return values
    }

    fileprivate static func mismatch(_ problem: String) -> Failure {
        Failure(
            status: .failure, detail: "--jq does not fit the response: \(problem)",
            nextStep: "Run the command with --json to see the response.")
    }
}

extension JSON {
    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "A truth value"
        case .integer, .number: "A number"
        case .string: "A text"
        case .array: "A list"
        case .object: "An object"
        }
    }

    fileprivate func compares(_ comparison: JQ.Comparison, to literal: JSON) throws(Failure) -> Bool {
        let (isLess, isEqual): (Bool, Bool)
        switch (self, literal) {
        case (.string(let a), .string(let b)): (isLess, isEqual) = (a.utf8.lexicographicallyPrecedes(b.utf8), a.isSame(as: b))
        case (.integer(let a), .integer(let b)): (isLess, isEqual) = (a < b, a == b)
        case (.integer(let a), .number(let b)): (isLess, isEqual) = (Double(a) < b, Double(a) == b)
        case (.number(let a), .integer(let b)): (isLess, isEqual) = (a < Double(b), a == Double(b))
        case (.number(let a), .number(let b)): (isLess, isEqual) = (a < b, a == b)
        default:
            guard [.equal, .unequal].contains(comparison) else { throw JQ.mismatch("\(kind) has no order with \(literal.text).") }
            (isLess, isEqual) = (false, self == literal)
        }
        return switch comparison {
        case .equal: isEqual
        case .unequal: !isEqual
        case .less: isLess
        case .greater: !isLess && !isEqual
        case .atMost: isLess || isEqual
        case .atLeast: !isLess
        }
    }
}

extension Terminal {
    /// Writes JSON, or the results of a filter, each on a line. Texts have no quotation marks.
    func write(json text: String, _ filter: JQ?) throws(Failure) {
        guard let filter else { return try write(text) }
        guard let json = try? JSONDecoder().decode(JSON.self, from: Data(text.utf8)) else { throw .shape() }
        let width = width
        let lines = try filter.results(for: json).map { result in
            let text = result.string ?? String(decoding: result.encoded(), as: UTF8.self)
            // The encoder does not escape the control characters U+0080 to U+009F.
            return width == nil ? text : text.printable
        }
        if !lines.isEmpty { try writeUnended(lines.joined(separator: "\n") + "\n") }
    }
}
