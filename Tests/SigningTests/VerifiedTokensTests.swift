import Testing

@testable import Signing

@Suite("Verified tokens")
struct VerifiedTokensTests {
    /// Presents a token. Returns whether its signature was verified.
    private func present(_ token: String, to tokens: VerifiedTokens) -> Bool {
        var isVerified = false
        #expect(
            tokens.contains(token) {
                isVerified = true
                return true
            })
        return isVerified
    }

    @Test("a valid signature is verified once")
    func once() {
        let tokens = VerifiedTokens()
        #expect(present("a.b.c", to: tokens))
        #expect(!present("a.b.c", to: tokens))
        // Another text is another token.
        for other in ["a.b.C", "a.b.", "a.b.c.", "a.c.b", "", "a.b.c\u{301}"] { #expect(present(other, to: tokens)) }
    }

    @Test("an invalid signature is verified each time, and takes no room")
    func invalid() {
        let tokens = VerifiedTokens()
        var verifications = 0
        for _ in 0..<3 {
            let isValid = tokens.contains("a.b.c") {
                verifications += 1
                return false
            }
            #expect(!isValid)
        }
        #expect(verifications == 3 && tokens.count == 0)
    }

    @Test("the number of tokens is bounded, and a token in use stays")
    func bounded() {
        let tokens = VerifiedTokens(capacity: 10)
        for number in 0..<1000 {
            #expect(present("\(number)", to: tokens))
            #expect(present("in use", to: tokens) == (number == 0))
            #expect(tokens.count <= 20)
        }
        #expect(!present("999", to: tokens) && present("0", to: tokens))
    }

    @Test("a token that this process signed is not verified, and signed tokens do not displace one in use")
    func signed() {
        let tokens = VerifiedTokens(capacity: 10)
        #expect(present("in use", to: tokens))
        for number in 0..<1000 {
            tokens.insert("\(number)")
            #expect(tokens.count <= 21)
        }
        #expect(!present("in use", to: tokens) && !present("999", to: tokens) && !present("990", to: tokens) && present("0", to: tokens))
    }
}
