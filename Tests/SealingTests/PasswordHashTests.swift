import Sealing
import Testing

@Suite("PasswordHash")
struct PasswordHashTests {
    @Test("only the right password matches its hash")
    func verifies() async throws {
        let hash = await PasswordHash.hash(Secret("correct horse"))
        #expect(hash.encoded.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        let stored = try #require(PasswordHash(encoded: hash.encoded))
        #expect(await PasswordHash.verify(Secret("correct horse"), against: stored))
        #expect(await !PasswordHash.verify(Secret("correct horse "), against: stored))
        #expect(await !PasswordHash.verify(Secret(""), against: stored))
    }

    @Test("one password hashes differently each time")
    func isSalted() async {
        let first = await PasswordHash.hash(Secret("correct horse"))
        let second = await PasswordHash.hash(Secret("correct horse"))
        #expect(first != second)
    }

    @Test("a hash from another program is verified")
    func foreignHash() async throws {
        // Calculated with Debian's argon2(1): -id -t 2 -k 19456 -p 1 -l 32.
        let hash = try #require(
            PasswordHash(encoded: "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$AdweBLwcflnNX2HVW8i1Mtu7frrn4Ki7h/rYSGuU7Is"))
        #expect(await PasswordHash.verify(Secret("correct horse"), against: hash))
    }

    @Test(
        "a text that is not an Argon2id hash is rejected",
        arguments: ["", "correct horse", "$2b$12$abcdefghijklmnopqrstuv", "$argon2i$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA"])
    func refuses(text: String) {
        #expect(PasswordHash(encoded: text) == nil)
    }

    @Test("a damaged hash verifies nothing")
    func damaged() async throws {
        let hash = try #require(PasswordHash(encoded: "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ"))
        #expect(await !PasswordHash.verify(Secret(""), against: hash))
    }
}
