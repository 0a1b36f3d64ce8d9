import Crypto
import Encoding
import Foundation
@testable import Sessions
import Testing

@Suite("PKCE")
struct PKCETests {
    // RFC 7636, appendix B.
    let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    @Test("the RFC's own verifier matches its challenge")
    func vector() {
        #expect(PKCE.verify(verifier, against: challenge))
        #expect(PKCE.isChallenge(challenge))
    }

    @Test("any other verifier does not match")
    func others() {
        for other in ["", challenge, String(verifier.dropLast()), verifier + "k", verifier.uppercased(), "e" + verifier.dropFirst()] {
            #expect(!PKCE.verify(other, against: challenge))
        }
        #expect(!PKCE.verify(verifier, against: ""))
        #expect(!PKCE.verify(verifier, against: verifier))
    }

    @Test("a verifier has 43 to 128 unreserved characters; another one is refused even if its hash matches")
    func verifierForm() {
        func fits(_ verifier: String) -> Bool {
            PKCE.verify(verifier, against: Array(SHA256.hash(data: Data(verifier.utf8))).base64URL)
        }
        #expect(fits(String(repeating: "a", count: 43)))
        #expect(fits(String(repeating: "~", count: 128)))
        #expect(!fits(String(repeating: "a", count: 42)))
        #expect(!fits(String(repeating: "a", count: 129)))
        for character in ["+", "/", "=", " ", "\u{0}", "é", "%"] {
            #expect(!fits(String(repeating: "a", count: 42) + character))
        }
    }

    @Test("a challenge is 43 characters of base64url")
    func challengeForm() {
        let cut = String(challenge.dropLast())
        for end in ["", "AA", "=", "+", "/", "~", ".", "é", " ", "\u{0}"] {
            #expect(!PKCE.isChallenge(cut + end), "\(end)")
        }
        #expect(!PKCE.isChallenge(""))
    }
}
