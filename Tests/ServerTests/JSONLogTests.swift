import Foundation
import Testing

@testable import Server

@Suite("JSON log")
struct JSONLogTests {
    @Test(
        "a time has Foundation's format",
        arguments: [0, 1, 951_782_399.75, 951_782_400, 951_868_800.25, 1_709_164_799.5, 1_709_251_200, 1_795_250_000.125, 4_102_444_799])
    func timestamp(_ seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        var text = ""
        text.append(timestamp: date)
        #expect(text == date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
}
