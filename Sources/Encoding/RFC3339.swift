package import Foundation

/// Times in the format of RFC 3339, section 5.6.
///
/// Foundation's parser ignores text after the time and accepts 30 days in February.
package enum RFC3339 {
    /// Returns the time; nil unless the whole text is a valid time.
    package static func date(_ text: String) -> Date? {
        let form = /(\d{4}-\d\d-\d\d)[Tt]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d{1,9})?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)/
        guard let parts = text.wholeASCIIMatch(of: form) else { return nil }
        let day = Date.ISO8601FormatStyle().year().month().day()
        guard let midnight = try? day.parse(String(parts.1)), day.format(midnight) == parts.1,
            let time = try? Date.ISO8601FormatStyle().parse("\(parts.1)T\(parts.2)\(parts.4.uppercased())")
        else { return nil }
        return time.addingTimeInterval(parts.3.flatMap { Double("0\($0)") } ?? 0)
    }

    /// A time in UTC with whole seconds, `2026-11-01T00:00:00Z`. A fraction of a second is dropped.
    ///
    /// - Parameter milliseconds: Whether to write milliseconds, `2026-11-01T00:00:00.000Z`. Their fraction is dropped.
    package static func text(_ date: Date, milliseconds: Bool = false) -> String {
        guard isCovered(date) else { return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: milliseconds)) }
        return String(unsafeUninitializedCapacity: longest) { write(date, milliseconds: milliseconds, to: $0.baseAddress!) }
    }

    /// The maximum number of bytes that `write` writes.
    static let longest = 24

    /// Whether the time is from year 1 to year 9999. RFC 3339 does not cover other years, but Foundation has a format for them.
    static func isCovered(_ date: Date) -> Bool {
        // Counted from 2001.
        (-63_113_904_000..<252_423_993_600).contains(date.timeIntervalSinceReferenceDate.rounded(.down))
    }

    /// Writes a covered time in ASCII, in the same form as `text`.
    /// - Parameter bytes: Room for `longest` bytes.
    /// - Returns: The number of bytes.
    static func write(_ date: Date, milliseconds: Bool = false, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
        // Days since 1 March of year 0, in years that end with February. So a leap day is the last day of its year.
        let (days, second) = Int(seconds).flooredQuotientAndRemainder(dividingBy: 86400)
        let (era, dayOfEra) = (days + 730_791).flooredQuotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        var position = 0
        func put(_ number: Int, _ digits: Int, _ end: UInt8) {
            var rest = number
            for offset in stride(from: digits - 1, through: 0, by: -1) {
                bytes[position + offset] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            bytes[position + digits] = end
            position += digits + 1
        }
        put(year, 4, UInt8(ascii: "-"))
        put(month, 2, UInt8(ascii: "-"))
        put(dayOfYear - (153 * shifted + 2) / 5 + 1, 2, UInt8(ascii: "T"))
        put(second / 3600, 2, UInt8(ascii: ":"))
        put(second / 60 % 60, 2, UInt8(ascii: ":"))
        put(second % 60, 2, milliseconds ? UInt8(ascii: ".") : UInt8(ascii: "Z"))
        if milliseconds { put(Int((date.timeIntervalSinceReferenceDate - seconds) * 1000), 3, UInt8(ascii: "Z")) }
        return position
    }
}

extension Int {
    /// The same as `quotientAndRemainder`, with a remainder that is never negative.
    fileprivate func flooredQuotientAndRemainder(dividingBy divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
