import Foundation

/// A reader of a stream of server-sent events (`text/event-stream`), by bytes.
struct ServerSentEvents {
    struct Event: Equatable {
        /// Nil if the server has sent no ID, or one that cannot be in a header.
        var id: String?
        var type = ""
        var data = ""
    }

    /// The largest event, in bytes. A body of a webhook has less than 20 kB.
    static let limit = 256 * 1024

    private var line: [UInt8] = []
    private var isAfterReturn = false
    private var fields = Event()
    private var hasData = false
    private var size = 0
    /// The ID of the last event, for `Last-Event-ID` after an interruption.
    private(set) var lastID: String?

    init(lastID: String? = nil) {
        self.lastID = lastID
    }

    /// Reads the next bytes of the stream.
    /// - Returns: the events that they complete.
    /// - Throws: ``Failure`` if an event is too large.
    mutating func read(_ bytes: some Sequence<UInt8>) throws(Failure) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            // A line ends with LF, CR, or both.
            if byte == 0x0A, isAfterReturn {
                isAfterReturn = false
                continue
            }
            isAfterReturn = byte == 0x0D
            guard byte == 0x0A || byte == 0x0D else {
                size += 1
                guard size <= Self.limit else { throw .shape() }
                line.append(byte)
                continue
            }
            if line.isEmpty {
                if hasData {
                    fields.id = lastID
                    events.append(fields)
                }
                (fields, hasData, size) = (Event(), false, 0)
            } else {
                readLine()
                line.removeAll(keepingCapacity: true)
            }
        }
        return events
    }

    private mutating func readLine() {
        // A line that begins with a colon is a comment.
        guard let text = String(validating: line, as: UTF8.self), line[0] != UInt8(ascii: ":") else { return }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
        let name = String(decoding: line[..<colon], as: UTF8.self)
        var value = Array(text.utf8.dropFirst(colon + 1))
        if value.first == 0x20 { value.removeFirst() }
        let content = String(decoding: value, as: UTF8.self)
        switch name {
        case "id": lastID = value.count <= 200 && !value.isEmpty && value.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? content : nil
        case "event": fields.type = content
        case "data":
            fields.data += (hasData ? "\n" : "") + content
            hasData = true
        default: break
        }
    }
}
