import Encoding
import Foundation
import Testing

@Suite("RFC 3339")
struct RFC3339Tests {
    @Test("times equal Foundation's, without fractions")
    func times() throws {
        var random = SystemRandomNumberGenerator()
        let edges: [TimeInterval] = [
            0, -1, 951_782_399, 951_782_400, 951_868_800, 1_709_164_800, 1_709_251_200, 4_107_542_399, 4_107_542_400, 1_790_000_000.999999,
        ]
        let some = (0..<2000).map { _ in TimeInterval.random(in: -2_208_988_800...16_725_225_600, using: &random) }
        for seconds in edges + some {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(RFC3339.text(date) == date.formatted(.iso8601))
            #expect(
                RFC3339.date(RFC3339.text(date)) == Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down))
            )
        }
        #expect(RFC3339.text(Date(timeIntervalSince1970: 253_402_300_799)) == "9999-12-31T23:59:59Z")
        #expect(RFC3339.text(Date(timeIntervalSince1970: -62_135_596_800)) == "0001-01-01T00:00:00Z")
        _ = RFC3339.text(.distantPast)
        _ = RFC3339.text(.distantFuture)
    }

    @Test(
        "a time with milliseconds equals Foundation's",
        arguments: [0, 1, 951_782_399.75, 951_782_400, 951_868_800.25, 1_709_164_799.5, 1_709_251_200, 1_795_250_000.125, 4_102_444_799])
    func milliseconds(_ seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(RFC3339.text(date, milliseconds: true) == date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }

    @Test("only ASCII is part of a time", arguments: joining)
    func ascii(_ joining: String) {
        for text in ["2026-11-01T00:00:00Z", "2026-11-01T00:00:00.5+01:00"] {
            #expect(RFC3339.date(text) != nil)
            for (index, _) in text.utf8.enumerated() {
                let hostile = String(
                    decoding: Array(text.utf8.prefix(index)) + Array(joining.utf8) + Array(text.utf8.dropFirst(index)), as: UTF8.self)
                #expect(RFC3339.date(hostile) == nil, "\(hostile.debugDescription)")
            }
        }
    }
}
