import Encoding

/// A query of the Domain Name System and its response (RFC 1035, section 4).
///
/// The response comes from the network. Each read is inside its bounds, and a name follows only pointers to earlier bytes, so it ends.
enum DNSMessage {
    enum Kind: UInt16 {
        case a = 1
        case cname = 5
        case txt = 16
        case aaaa = 28
    }

    /// The answer to a question.
    enum Answer: Equatable, Sendable {
        /// The data of the records: of TXT the joined strings, of A and AAAA the address. Empty if the name has no such record, or does not
        /// exist.
        case records([[UInt8]])
        /// The response does not fit into a datagram.
        case truncated
    }

    /// Why a message is not the answer.
    enum Refusal: Error, Equatable {
        /// It is not a response to this question.
        case other
        case malformed
        /// The resolver could not find out (RFC 1035, section 4.1.1).
        case failed(code: UInt8)
    }

    /// The longest name in a message, in bytes (section 2.3.4).
    private static let longestName = 255
    /// The most records and aliases that are read.
    private static let (mostRecords, mostAliases) = (200, 8)

    /// The bytes of a query that asks a resolver for recursion. Nil if the name cannot be in a message.
    static func query(_ kind: Kind, of name: String, id: UInt16) -> [UInt8]? {
        guard let name = encoded(name) else { return nil }
        return bytes(id) + [0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0] + name + bytes(kind.rawValue) + bytes(1)
    }

    /// Reads a response to a query.
    static func answer(in message: [UInt8], to kind: Kind, of name: String, id: UInt16) throws(Refusal) -> Answer {
        var reader = Reader(message)
        guard let header = reader.take(12), let asked = encoded(name) else { throw .malformed }
        let word = { (place: Int) in UInt16(header[header.startIndex + place]) << 8 | UInt16(header[header.startIndex + place + 1]) }
        let flags = word(2)
        // A response (QR) to a standard query (OPCODE) with one question.
        guard word(0) == id, flags & 0xF800 == 0x8000, word(4) == 1 else { throw .other }
        guard let question = reader.name(), let type = reader.word(), let group = reader.word() else { throw .malformed }
        guard isSame(question, asked), type == kind.rawValue, group == 1 else { throw .other }
        guard flags & 0x0200 == 0 else { return .truncated }
        switch UInt8(flags & 0xF) {
        // 3: the name does not exist.
        case 0, 3: break
        case let code: throw .failed(code: code)
        }

        var found: [(owner: [UInt8], type: UInt16, data: [UInt8])] = []
        for _ in 0..<min(Int(word(6)), mostRecords) {
            guard let owner = reader.name(), let type = reader.word(), let group = reader.word(), reader.take(4) != nil,
                let length = reader.word()
            else { throw .malformed }
            let start = reader.position
            guard let data = reader.take(Int(length)) else { throw .malformed }
            guard group == 1 else { continue }
            if type == Kind.cname.rawValue {
                var inside = reader
                inside.position = start
                guard let target = inside.name(), inside.position == reader.position else { throw .malformed }
                found.append((owner, type, target))
            } else if type == kind.rawValue {
                found.append((owner, type, Array(data)))
            }
        }
        var owner = asked
        for _ in 0..<mostAliases {
            guard let alias = found.first(where: { $0.type == Kind.cname.rawValue && isSame($0.owner, owner) }) else { break }
            owner = alias.data
        }
        let records = found.filter { $0.type == kind.rawValue && isSame($0.owner, owner) }.map(\.data)
        return .records(try records.map { data throws(Refusal) in try content(of: data, kind) })
    }

    /// The content of a record's data.
    private static func content(of data: [UInt8], _ kind: Kind) throws(Refusal) -> [UInt8] {
        switch kind {
        case .a where data.count == 4, .aaaa where data.count == 16: return data
        case .txt:
            // Section 3.3.14: strings of up to 255 bytes, each after its length. They belong together.
            var (reader, text): (Reader, [UInt8]) = (Reader(data), [])
            while let length = reader.take(1)?.first {
                guard let string = reader.take(Int(length)) else { throw .malformed }
                text += string
            }
            return text
        default: throw .malformed
        }
    }

    // MARK: Names

    /// A name as labels with their lengths. Nil for a name with an empty or a long label.
    static func encoded(_ name: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        for label in name.parts(at: ".", includingEmpty: true) {
            guard (1...63).contains(label.utf8.count) else { return nil }
            bytes += [UInt8(label.utf8.count)] + label.utf8
        }
        bytes.append(0)
        return bytes.count <= longestName ? bytes : nil
    }

    /// Names are compared without regard to case (section 2.3.3). A length is below 64, so it is not a letter.
    private static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        let lower = { (byte: UInt8) in (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte }
        return one.count == other.count && zip(one, other).allSatisfy { lower($0) == lower($1) }
    }

    private static func bytes(_ word: UInt16) -> [UInt8] { [UInt8(word >> 8), UInt8(word & 0xFF)] }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard count <= bytes.count - position else { return nil }
            defer { position += count }
            return bytes[position..<position + count]
        }

        mutating func word() -> UInt16? {
            take(2).map { UInt16($0.first!) << 8 | UInt16($0.last!) }
        }

        /// A name without compression (section 4.1.4). A pointer leads to bytes before the labels that it continues, so a loop is impossible.
        mutating func name() -> [UInt8]? {
            var (name, place, start): ([UInt8], Int, Int) = ([], position, position)
            var end: Int?
            while place < bytes.count {
                let length = Int(bytes[place])
                if length >= 0xC0 {
                    guard place + 1 < bytes.count else { return nil }
                    let target = (length & 0x3F) << 8 | Int(bytes[place + 1])
                    guard target < start else { return nil }
                    end = end ?? place + 2
                    (place, start) = (target, target)
                    continue
                }
                guard length < 64, place + 1 + length <= bytes.count, name.count + 1 + length <= DNSMessage.longestName else { return nil }
                name += bytes[place...place + length]
                place += 1 + length
                if length == 0 {
                    position = end ?? place
                    return name
                }
            }
            return nil
        }
    }
}
