import Foundation
import Sealing
import Testing

@testable import Factors

@Suite("Authenticator key")
struct AuthenticatorKeyTests {
    /// The key of the vectors in RFC 4226 and RFC 6238.
    private static let bytes = Array("12345678901234567890".utf8)
    private static let now = Date(timeIntervalSince1970: 1_111_111_111)
    private let key: AuthenticatorKey

    init() throws {
        key = try #require(AuthenticatorKey(bytes: Self.bytes))
    }

    private func code(_ step: Int64) -> String { String(decoding: key.code(at: step), as: UTF8.self) }

    @Test(
        "the vectors of RFC 6238, appendix B, with the last 6 of their 8 digits",
        arguments: [
            (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"), (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ])
    func timeVectors(seconds: Int, digits: String) {
        let time = Date(timeIntervalSince1970: Double(seconds))
        #expect(code(AuthenticatorKey.step(at: time)) == digits)
        #expect(key.step(of: digits, after: nil, at: time) == Int64(seconds / 30))
    }

    @Test("the vectors of RFC 4226, appendix D")
    func counterVectors() {
        let expected = ["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"]
        #expect((0..<10).map { code($0) } == expected)
    }

    @Test("a step has 30 s, also before 1970")
    func steps() {
        for (seconds, step) in [(0.0, 0), (29.999, 0), (30, 1), (59.999, 1), (60, 2), (-0.001, -1), (-30, -1), (-30.001, -2)] {
            #expect(AuthenticatorKey.step(at: Date(timeIntervalSince1970: seconds)) == Int64(step), "\(seconds)")
        }
    }

    @Test("the codes of the current step and of its neighbors are right, and no others")
    func window() {
        let current = AuthenticatorKey.step(at: Self.now)
        for distance: Int64 in -5...5 {
            let accepted = key.step(of: code(current + distance), after: nil, at: Self.now)
            #expect(accepted == (abs(distance) <= 1 ? current + distance : nil), "\(distance)")
        }
    }

    @Test("a code is right once: neither it nor an earlier one is accepted again")
    func replay() throws {
        let current = AuthenticatorKey.step(at: Self.now)
        let used = try #require(key.step(of: code(current), after: nil, at: Self.now))
        #expect(key.step(of: code(current), after: used, at: Self.now) == nil)
        #expect(key.step(of: code(current - 1), after: used, at: Self.now) == nil)
        // 30 s later the used code is that of the step before.
        #expect(key.step(of: code(current), after: used, at: Self.now + 30) == nil)
        #expect(key.step(of: code(current + 1), after: used, at: Self.now) == current + 1)
        #expect(key.step(of: code(current), after: current - 1, at: Self.now) == current)
    }

    @Test(
        "a code that two steps of the window share is used for both",
        arguments: [(1_860_803, "168259", 0), (268_828, "985717", 1)])
    func sharedCode(number: Int, digits: String, distance: Int) throws {
        // Two steps of a window share their code once in half a million keys. A search found these.
        let bytes = [UInt8](repeating: 7, count: 12) + withUnsafeBytes(of: UInt64(number).bigEndian, Array.init)
        let key = try #require(AuthenticatorKey(bytes: bytes))
        let current = AuthenticatorKey.step(at: Self.now)
        let later = current + Int64(distance)
        #expect(key.code(at: current - 1) == Array(digits.utf8) && key.code(at: later) == Array(digits.utf8))
        let used = try #require(key.step(of: digits, after: nil, at: Self.now))
        #expect(used == later)
        for seconds in [0.0, 30, 60] { #expect(key.step(of: digits, after: used, at: Self.now + seconds) == nil) }
    }

    @Test("spaces do not count in a typed code")
    func spaces() {
        #expect(code(AuthenticatorKey.step(at: Self.now)) == "050471")
        for typed in ["050471", "050 471", " 050471 ", "0 5 0 4 7 1", "05 04 71"] {
            #expect(key.step(of: typed, after: nil, at: Self.now) != nil, "\(typed)")
        }
    }

    @Test(
        "another text is not a code, also next to characters that join a digit",
        arguments: [
            "", " ", "50471", "0050471", "050471050471", "05047l", "O50471", "-50471", "+50471", "050-471", "0504\u{0}71", "050471\n",
            "050\t471",
            "\u{660}\u{665}\u{660}\u{664}\u{667}\u{661}", "\u{FF10}\u{FF15}\u{FF10}\u{FF14}\u{FF17}\u{FF11}", "050471\u{301}",
            "\u{600}050471", "0504\u{200D}71", "050\u{A0}471", "05047\u{FE0F}1", String(repeating: " ", count: 30) + "050471",
        ])
    func refused(typed: String) {
        #expect(key.step(of: typed, after: nil, at: Self.now) == nil)
    }

    @Test("keys are random, have 160 bits, and read back from their stored form")
    func stored() throws {
        let keys = (0..<100).map { _ in AuthenticatorKey.random().bytes }
        #expect(Set(keys).count == 100)
        #expect(keys.allSatisfy { $0.count == 20 })
        #expect(try #require(AuthenticatorKey(bytes: keys[0])).bytes == keys[0])
        #expect(AuthenticatorKey(bytes: Array(keys[0].dropLast())) == nil)
        #expect(AuthenticatorKey(bytes: keys[0] + [0]) == nil)
        #expect(AuthenticatorKey(bytes: []) == nil)
    }

    @Test("the text to type is the key in base32, in groups of 4")
    func text() {
        #expect(key.text.reveal() == "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ")
    }

    @Test("a key never prints")
    func neverPrints() {
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped, "\(key.text)", "\(key.uri(issuer: "a", account: "b"))"] {
            #expect(text.contains("<secret>") && !text.contains("GEZD") && !text.contains("49"))
        }
    }
}
