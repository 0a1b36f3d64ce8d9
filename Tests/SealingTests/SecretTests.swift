import Sealing
import Testing

@Suite("Secret")
struct SecretTests {
    private struct Holder {
        let name = "holder"
        let secret = Secret("hunter2")
    }

    @Test("a secret returns its content only through a named method")
    func reveals() {
        #expect(Secret("grün").reveal() == "grün")
        #expect(Secret(bytes: [1, 2, 255]).revealBytes() == [1, 2, 255])
        #expect(Secret("").isEmpty)
        #expect(!Secret("x").isEmpty)
    }

    @Test("a secret never prints, alone or inside another value")
    func neverPrints() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump(Holder(), to: &dumped)
        dump(secret, to: &dumped)
        let texts = [
            "\(secret)", String(describing: secret), String(reflecting: secret), secret.debugDescription, "\(Holder())",
            String(reflecting: Holder()), "\([secret])", "\(Optional(secret) as Any)", dumped,
        ]
        for text in texts {
            #expect(text.contains("<secret>"))
            #expect(!text.contains("hunter2"))
            #expect(!text.contains("104"), "the first byte of the secret")
        }
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test("a secret is not Encodable")
    func isNotEncodable() {
        #expect(!((Secret("x") as Any) is any Encodable))
    }

    @Test(
        "secrets are equal if and only if their bytes are",
        arguments: [("a", "a", true), ("a", "b", false), ("a", "aa", false), ("", "", true), ("", "a", false), ("ab", "ba", false)])
    func equality(left: String, right: String, isEqual: Bool) {
        #expect((Secret(left) == Secret(right)) == isEqual)
        #expect(constantTimeEqual(Array(left.utf8), Array(right.utf8)) == isEqual)
    }
}
