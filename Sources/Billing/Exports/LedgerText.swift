import Encoding
import Foundation
import Ledger
import Web

/// Writes the ledger's rows as text, a block at a time.
///
/// This code runs for each of millions of rows. So it writes bytes directly to their place and allocates nothing per row.
struct LedgerText {
    /// The parts of a line, in order.
    enum Piece {
        case text(StaticString)
        /// The login's ID, `login_…`.
        case id
        case tenant, application, user
        /// The tenant's slug, and the application's name. A deleted one has none.
        case tenantName, applicationName
        case kind, connection
        /// The time of the login, as `2026-11-21T10:00:00.123456Z`, always with six digits of the second.
        case time
        /// The billing month, as `2026-11`.
        case period
    }

    let header: [UInt8]
    private let line: [Piece]
    private let format: ExportFormat
    /// A cache of the texts for days, `2026-11-21`.
    private var days: [Int: [UInt8]] = [:]
    private var tenantNames = Names()
    private var applicationNames = Names()

    private static let blockSize = 1 << 16
    /// An upper limit of a line's length: its fixed text, four IDs of up to 43 characters, the other values that `LedgerRow` permits, and
    /// both names.
    private var longestLine: Int { 1 << 10 + tenantNames.longest + applicationNames.longest }

    /// Names in the form of this format, by ID. Consecutive rows often have the same tenant and application.
    private struct Names {
        private var names: [UUID: [UInt8]] = [:]
        private var last: (id: UUID, name: [UInt8])?
        private(set) var longest = 0

        func has(_ id: UUID) -> Bool { last?.id == id || names[id] != nil }

        mutating func learn(_ id: UUID, _ name: [UInt8]) {
            names[id] = name
            longest = max(longest, name.count)
        }

        mutating func callAsFunction(_ pointer: UnsafeRawPointer) -> [UInt8] {
            let id = UUID(uuid: pointer.loadUnaligned(as: uuid_t.self))
            if let last, last.id == id { return last.name }
            let name = names[id] ?? []
            last = (id, name)
            return name
        }
    }

    init(_ format: ExportFormat) {
        self.format = format
        switch format {
        case .jsonl:
            header = []
            line = [
                .text(#"{"occurred_at":""#), .time, .text(#"","billing_period":""#), .period, .text(#"","id":""#), .id,
                .text(#"","tenant_id":""#), .tenant, .text(#"","tenant":"#), .tenantName, .text(#","application_id":""#), .application,
                .text(#"","application":"#), .applicationName, .text(#","user_id":""#), .user, .text(#"","kind":""#), .kind,
                .text(#"","connection":""#), .connection, .text("\"}\n"),
            ]
        case .cloudevents:
            header = []
            line = [
                .text(#"{"specversion":"1.0","id":""#), .id, .text(#"","source":"/tenants/"#), .tenant, .text(#"","type":"espalier."#),
                .kind,
                .text(#".succeeded","subject":""#), .tenant, .text(#"","time":""#), .time,
                .text(#"","datacontenttype":"application/json","data":{"application_id":""#), .application, .text(#"","user_id":""#), .user,
                .text(#"","kind":""#), .kind, .text(#"","connection":""#), .connection, .text(#"","billing_period":""#), .period,
                .text("\"}}\n"),
            ]
        // FOCUS has charges and no events (`FocusExport`).
        case .csv, .focus:
            header = Array(
                "occurred_at,billing_period,id,tenant_id,tenant,application_id,application,user_id,kind,connection\n".utf8)
            let comma = Piece.text(",")
            line = [
                .time, comma, .period, comma, .id, comma, .tenant, comma, .tenantName, comma, .application, comma, .applicationName, comma,
                .user, comma, .kind, comma, .connection, .text("\n"),
            ]
        }
    }

    // MARK: Names

    /// The tenants and applications of a page whose names are not loaded yet.
    func unknown(in page: [UInt8]) throws -> (tenants: Set<UUID>, applications: Set<UUID>) {
        var (tenants, applications): (Set<UUID>, Set<UUID>) = ([], [])
        guard format == .csv || format == .jsonl else { return (tenants, applications) }
        var (offset, last): (Int, (tenant: UUID, application: UUID)?) = (0, nil)
        try page.withUnsafeBytes { page in
            try LedgerRow.walk(page, from: &offset) { row in
                let both = (
                    tenant: UUID(uuid: row.tenant.loadUnaligned(as: uuid_t.self)),
                    application: UUID(uuid: row.application.loadUnaligned(as: uuid_t.self))
                )
                if let last, last == both { return true }
                last = both
                if !tenantNames.has(both.tenant) { tenants.insert(both.tenant) }
                if !applicationNames.has(both.application) { applications.insert(both.application) }
                return true
            }
        }
        return (tenants, applications)
    }

    /// Adds the name of a tenant.
    /// - Parameter name: nil for a deleted tenant.
    mutating func learn(tenant: UUID, _ name: String?) {
        tenantNames.learn(tenant, written(name))
    }

    mutating func learn(application: UUID, _ name: String?) {
        applicationNames.learn(application, written(name))
    }

    private func written(_ name: String?) -> [UInt8] {
        guard format == .jsonl else { return CSV.field(name.map(CSV.Field.text) ?? .null) }
        // A text can always be encoded.
        return name.map { try! JSONWriter.encode($0) } ?? Array("null".utf8)
    }

    // MARK: Lines

    /// The next block of a page's lines. Empty at the end of the page.
    /// - Parameters:
    /// - offset: the start in the page, 0 at first. Afterwards, the start of the next block.
    /// - rows: afterwards, the number of lines in the block.
    mutating func block(of page: [UInt8], from offset: inout Int, rows: inout Int) throws -> [UInt8] {
        var (next, lines) = (offset, 0)
        defer { (offset, rows) = (next, lines) }
        let enough = max(Self.blockSize, 2 * longestLine)
        let room = enough - longestLine
        return try page.withUnsafeBytes { page in
            try [UInt8](unsafeUninitializedCapacity: enough) { buffer, count in
                let start = buffer.baseAddress!
                var place = start
                // The count is set even after a failure, because it must equal the written bytes.
                defer { count = place - start }
                try LedgerRow.walk(page, from: &next) { row in
                    guard place - start <= room else { return false }
                    write(row, to: &place)
                    lines += 1
                    return true
                }
            }
        }
    }

    private mutating func write(_ row: LedgerRow, to place: inout UnsafeMutablePointer<UInt8>) {
        for piece in line {
            switch piece {
            case .text(let text): Self.copy(text, to: &place)
            case .id: Self.write("login_", row.id, to: &place)
            case .tenant: Self.write("tenant_", row.tenant, to: &place)
            case .application: Self.write("app_", row.application, to: &place)
            case .user: Self.write("user_", row.user, to: &place)
            case .tenantName: Self.copy(tenantNames(row.tenant)[...], to: &place)
            case .applicationName: Self.copy(applicationNames(row.application)[...], to: &place)
            case .kind: Self.copy(row.kind, to: &place)
            case .connection: Self.copy(row.connection, to: &place)
            case .time: write(time: row.time, to: &place)
            case .period: Self.copy(day(Int(row.period)).prefix(7), to: &place)
            }
        }
    }

    /// Writes 128 bits in Crockford's base32, as `ID` does.
    private static func write(_ prefix: StaticString, _ uuid: UnsafeRawPointer, to place: inout UnsafeMutablePointer<UInt8>) {
        copy(prefix, to: &place)
        var high = UInt64(bigEndian: uuid.loadUnaligned(as: UInt64.self))
        var low = UInt64(bigEndian: uuid.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        for position in stride(from: 25, through: 0, by: -1) {
            place[position] = digits.utf8Start[Int(low & 31)]
            low = low >> 5 | high << 59
            high >>= 5
        }
        place += 26
    }

    private static let digits: StaticString = "0123456789abcdefghjkmnpqrstvwxyz"

    private mutating func write(time: Int64, to place: inout UnsafeMutablePointer<UInt8>) {
        var (day, rest) = time.quotientAndRemainder(dividingBy: 86_400_000_000)
        if rest < 0 { (day, rest) = (day - 1, rest + 86_400_000_000) }
        Self.copy(self.day(Int(day))[...], to: &place)
        let (seconds, micros) = rest.quotientAndRemainder(dividingBy: 1_000_000)
        Self.put("T", seconds / 3600, digits: 2, to: &place)
        Self.put(":", seconds / 60 % 60, digits: 2, to: &place)
        Self.put(":", seconds % 60, digits: 2, to: &place)
        Self.put(".", micros, digits: 6, to: &place)
        place.pointee = UInt8(ascii: "Z")
        place += 1
    }

    private static func put(_ before: Unicode.Scalar, _ number: Int64, digits: Int, to place: inout UnsafeMutablePointer<UInt8>) {
        place.pointee = UInt8(ascii: before)
        var number = number
        for position in stride(from: digits, through: 1, by: -1) {
            place[position] = UInt8(ascii: "0") + UInt8(number % 10)
            number /= 10
        }
        place += digits + 1
    }

    /// The text of a day.
    /// - Parameter number: days since 2000-01-01.
    private mutating func day(_ number: Int) -> [UInt8] {
        if let text = days[number] { return text }
        let text = Array(Day(number: number + Day.postgresEpoch).description.utf8)
        days[number] = text
        return text
    }

    private static func copy(_ text: StaticString, to place: inout UnsafeMutablePointer<UInt8>) {
        place.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        place += text.utf8CodeUnitCount
    }

    private static func copy(_ text: UnsafeRawBufferPointer, to place: inout UnsafeMutablePointer<UInt8>) {
        for byte in text {
            place.pointee = byte
            place += 1
        }
    }

    private static func copy(_ text: ArraySlice<UInt8>, to place: inout UnsafeMutablePointer<UInt8>) {
        for byte in text {
            place.pointee = byte
            place += 1
        }
    }
}
