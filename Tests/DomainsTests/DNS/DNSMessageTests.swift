import Testing

@testable import Domains

@Suite("DNS message")
struct DNSMessageTests {
    private static let name = "_espalier.login.acme.test"

    /// A response with these flags and answers, and the question of a query.
    private static func response(
        _ name: String = name, id: UInt16 = 0x1234, flags: UInt16 = 0x8180, answers: [[UInt8]] = [], count: Int? = nil, type: UInt8 = 16
    ) -> [UInt8] {
        let question = (DNSMessage.encoded(name) ?? []) + [0, type, 0, 1]
        return [
            UInt8(id >> 8), UInt8(id & 0xFF), UInt8(flags >> 8), UInt8(flags & 0xFF), 0, 1, 0, UInt8(count ?? answers.count), 0, 0, 0, 0,
        ]
            + question + answers.flatMap(\.self)
    }

    private static func record(_ owner: [UInt8] = [0xC0, 12], _ type: UInt8 = 16, _ data: [UInt8], length: Int? = nil) -> [UInt8] {
        owner + [0, type, 0, 1, 0, 0, 0, 60, 0, UInt8(length ?? data.count)] + data
    }

    private static func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

    private static func answer(_ message: [UInt8], _ kind: DNSMessage.Kind = .txt) throws(DNSMessage.Refusal) -> DNSMessage.Answer {
        try DNSMessage.answer(in: message, to: kind, of: name, id: 0x1234)
    }

    @Test("a query has the ID, the wish for recursion and one question")
    func query() {
        #expect(
            DNSMessage.query(.txt, of: "a.bc", id: 0xABCD) == [0xAB, 0xCD, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 97, 2, 98, 99, 0, 0, 16, 0, 1])
        for name in [
            "", "a..b", ".a", "a.", String(repeating: "a", count: 64) + ".b", Array(repeating: "abcd", count: 60).joined(separator: "."),
        ] {
            #expect(DNSMessage.query(.txt, of: name, id: 0) == nil)
        }
    }

    @Test("the strings of a record belong together, and records of other names do not count")
    func texts() throws {
        let other = Self.record(DNSMessage.encoded("other.test")!, 16, Self.text("x"))
        let message = Self.response(answers: [Self.record([0xC0, 12], 16, Self.text("espalier-") + Self.text("domain=a")), other])
        #expect(try Self.answer(message) == .records([Array("espalier-domain=a".utf8)]))
        #expect(try Self.answer(Self.response(flags: 0x8183)) == .records([]))
        #expect(
            try Self.answer(Self.response(Self.name.uppercased(), answers: [Self.record([0xC0, 12], 16, Self.text("x"))]))
                == .records([[0x78]]))
    }

    @Test("an alias is followed, and a loop of aliases ends")
    func aliases() throws {
        let target = DNSMessage.encoded("proof.acme.test")!
        let chain = Self.response(answers: [
            Self.record([0xC0, 12], 5, target), Self.record(target, 16, Self.text("found")),
        ])
        #expect(try Self.answer(chain) == .records([Array("found".utf8)]))
        let loop = Self.response(answers: [Self.record([0xC0, 12], 5, [0xC0, 12]), Self.record(target, 16, Self.text("no"))])
        #expect(try Self.answer(loop) == .records([]))
    }

    @Test("a response to something else is recognized")
    func others() {
        for message in [
            Self.response(id: 0x1235), Self.response("_espalier.login.acme.tesu"), Self.response(flags: 0x0180),
            Self.response(flags: 0x8980),
            Self.response(type: 1),
        ] {
            #expect(throws: DNSMessage.Refusal.other) { try Self.answer(message) }
        }
        #expect(throws: DNSMessage.Refusal.failed(code: 2)) { try Self.answer(Self.response(flags: 0x8182)) }
        #expect(throws: DNSMessage.Refusal.failed(code: 5)) { try Self.answer(Self.response(flags: 0x8185)) }
    }

    @Test("a truncated response is recognized")
    func truncated() throws {
        #expect(try Self.answer(Self.response(flags: 0x8380)) == .truncated)
    }

    @Test("names with loops, forward pointers, reserved labels and lengths beyond the message are refused")
    func malformed() {
        let end = Self.response().count
        let bad: [[UInt8]] = [
            // To itself, forward, beyond the message, and half of a pointer.
            [0xC0, UInt8(end)], [0xC0, UInt8(end + 2)], [0xFF, 0xFF], [0xC0], [0x40, 1], [0x80, 1], [63, 1, 2], [],
            // A label, then back to it.
            [1, 97, 0xC0, UInt8(end)],
        ]
        for owner in bad {
            #expect(throws: DNSMessage.Refusal.malformed, "\(owner)") {
                try Self.answer(
                    Self.response(answers: [Self.record(owner, 16, Self.text("x"))].map { owner.count < 2 ? owner : $0 }, count: 1))
            }
        }
        #expect(throws: DNSMessage.Refusal.malformed) {
            try Self.answer(Self.response(answers: [Self.record([0xC0, 12], 16, Self.text("x"), length: 200)]))
        }
        #expect(throws: DNSMessage.Refusal.malformed) { try Self.answer(Self.response(answers: [Self.record([0xC0, 12], 16, [9, 1])])) }
        #expect(throws: DNSMessage.Refusal.malformed) { try Self.answer(Self.response(count: 3)) }
        for length in 0..<Self.response().count {
            #expect(throws: (any Error).self) { try Self.answer(Array(Self.response().prefix(length))) }
        }
        let address = Self.response(answers: [Self.record([0xC0, 12], 1, [127, 0, 0])], type: 1)
        #expect(throws: DNSMessage.Refusal.malformed) { try Self.answer(address, .a) }
    }

    @Test("no message of random bytes stops the reader")
    func random() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<5000 {
            var message = Self.response(answers: [Self.record([0xC0, 12], 16, Self.text("x")), Self.record([0xC0, 12], 5, [0xC0, 12])])
            for _ in 0..<3 { message[Int.random(in: 0..<message.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator) }
            _ = try? Self.answer(message)
        }
    }
}
