import CArgon2
import Testing

@testable import Sealing

@Suite("Password hash")
struct PasswordHashTests {
    /// The least work that Argon2 permits, for tests of everything else.
    private static let cheap = PasswordHash.Cost(memory: 8, passes: 1)

    @Test("the installed library calculates the vector of RFC 9106, section 5.3")
    func specification() {
        var tag = [UInt8](repeating: 0, count: 32)
        var (password, salt) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 16))
        var (secret, data) = ([UInt8](repeating: 3, count: 8), [UInt8](repeating: 4, count: 12))
        let status = tag.withUnsafeMutableBufferPointer { tag in
            password.withUnsafeMutableBufferPointer { password in
                salt.withUnsafeMutableBufferPointer { salt in
                    secret.withUnsafeMutableBufferPointer { secret in
                        data.withUnsafeMutableBufferPointer { data in
                            var context = argon2_context()
                            (context.out, context.outlen) = (tag.baseAddress, 32)
                            (context.pwd, context.pwdlen) = (password.baseAddress, 32)
                            (context.salt, context.saltlen) = (salt.baseAddress, 16)
                            (context.secret, context.secretlen) = (secret.baseAddress, 8)
                            (context.ad, context.adlen) = (data.baseAddress, 12)
                            (context.t_cost, context.m_cost, context.lanes, context.threads) = (3, 32, 4, 1)
                            context.version = 0x13
                            return argon2id_ctx(&context)
                        }
                    }
                }
            }
        }
        #expect(status == 0)
        #expect(
            tag == [
                0x0D, 0x64, 0x0D, 0xF5, 0x8D, 0x78, 0x76, 0x6C, 0x08, 0xC0, 0x37, 0xA3, 0x4A, 0x8B, 0x53, 0xC9, 0xD0, 0x1E, 0xF0, 0x45,
                0x2D,
                0x75, 0xB6, 0x5E, 0xB5, 0x25, 0x20, 0xE9, 0x6B, 0x01, 0xE6, 0x59,
            ])
    }

    @Test(
        "hashes of the reference implementation verify their password and no other",
        arguments: [
            ("password", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"),
            ("password", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"),
            ("password", "$argon2id$v=19$m=65536,t=1,p=1$c29tZXNhbHQ$9qWtwbpyPd3vm1rB1GThgPzZ3/ydHL92zKL+15XZypg"),
            ("differentpassword", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$C4TWUs9rDEvq7w3+J4umqA32aWKB1+DSiRuBfYxFj94"),
            ("password", "$argon2id$v=19$m=65536,t=2,p=1$ZGlmZnNhbHQ$vfMrBczELrFdWP0ZsfhWsRPaHppYdP3MVEMIVlqoFBw"),
            // With both characters in which base64 and base64url differ.
            ("x0", "$argon2id$v=19$m=8,t=1,p=1$+//7//v/+//7//v/+//7/w$jv+ltr4H03oog4rdjfWx+z8IkmgQmDOJHB6GWYsLS+4"),
        ])
    func reference(password: String, text: String) throws {
        let hash = try #require(PasswordHash(Secret(text)))
        #expect(try hash.matches(Array(password.utf8)))
        #expect(try !hash.matches(Array("\(password) ".utf8)))
        #expect(try !hash.matches([]))
        #expect(hash.text.reveal() == text)
    }

    @Test("a new hash has the standard cost, verifies its password, and reads back from its text")
    func standard() throws {
        #expect(PasswordHash.Cost.standard.memory >= 19 * 1024 && PasswordHash.Cost.standard.passes >= 2)
        let hash = try PasswordHash(of: Array("correct horse".utf8))
        #expect(hash.cost == .standard)
        #expect(hash.text.reveal().hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        let stored = try #require(PasswordHash(hash.text))
        #expect(stored.cost == hash.cost)
        #expect(try stored.matches(Array("correct horse".utf8)))
        #expect(try !stored.matches(Array("correct horsf".utf8)))
    }

    @Test("the same password has another hash each time, and every byte of it counts")
    func salt() throws {
        let password = [UInt8](repeating: 0, count: 200)
        let texts = try (0..<20).map { _ in try PasswordHash(of: password, cost: Self.cheap).text.reveal() }
        #expect(Set(texts).count == 20)
        let hash = try PasswordHash(of: password, cost: Self.cheap)
        for position in [0, 71, 72, 127, 199] {
            var other = password
            other[position] = 1
            #expect(try !hash.matches(other), "byte \(position)")
        }
        #expect(try !hash.matches(Array(password.dropLast())))
        #expect(try hash.matches(password))
    }

    @Test("no password matches a dummy, which has the form of a real hash")
    func dummy() throws {
        let dummy = PasswordHash.dummy(cost: Self.cheap)
        for password in ["", "password", "<secret>"] { #expect(try !dummy.matches(Array(password.utf8))) }
        #expect(PasswordHash(dummy.text) != nil)
        #expect(PasswordHash.dummy().cost == .standard)
    }

    @Test(
        "a text that nobody stored is not a hash, and a changed one cannot demand more memory or time than is permitted",
        arguments: [
            "", "$", "$$$$$", "password", "$argon2id$v=19$m=8,t=1,p=1$$",
            "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=16$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=0256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=+256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$t=2,m=256,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=7,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=262145,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=4294967296,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=17,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=0,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ=$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXM$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR_uIPnA4rEsF5h7TKyQwu9U1bMCHGi_4",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/5",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4$",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4\n",
            "$argon2id$v=19$m\u{301}=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=2,p=1$" + String(repeating: "c29t", count: 100) + "$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        ])
    func refused(text: String) {
        #expect(PasswordHash(Secret(text)) == nil)
    }

    @Test("a hash never prints")
    func neverPrints() throws {
        let hash = try PasswordHash(of: [1, 2, 3], cost: Self.cheap)
        var dumped = ""
        dump(hash, to: &dumped)
        for text in ["\(hash)", String(reflecting: hash), "\(Optional(hash) as Any)", "\([hash])", dumped, "\(hash.text)"] {
            #expect(text.contains("<secret>") && !text.contains("argon2"))
        }
    }
}
