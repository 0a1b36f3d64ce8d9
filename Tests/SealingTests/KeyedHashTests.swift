import Sealing
import Testing

@Suite("Keyring, keyed hashes")
struct KeyedHashTests {
    private let secret = Array("esk_live_0123456789".utf8)

    @Test("a digest is stable, 32 bytes long, and differs by secret, purpose and key")
    func digest() throws {
        let key = MasterKey.generate()
        let keyring = try Keyring([key])
        let digest = keyring.digest(secret, purpose: "api key")
        #expect(digest.count == 32)
        #expect(try Keyring([key]).digest(secret, purpose: "api key") == digest)
        #expect(keyring.digest(secret + [0], purpose: "api key") != digest)
        #expect(keyring.digest(secret, purpose: "client secret") != digest)
        #expect(try Keyring([.generate()]).digest(secret, purpose: "api key") != digest)
    }

    @Test("a letter moved from the secret to the purpose changes the digest")
    func unambiguous() throws {
        let keyring = try Keyring([.generate()])
        #expect(keyring.digest(Array("bc".utf8), purpose: "a") != keyring.digest(Array("c".utf8), purpose: "ab"))
        let id = keyring.newestKeyID
        #expect(keyring.mac(Array("bc".utf8), purpose: "a", keyID: id) != keyring.mac(Array("c".utf8), purpose: "ab", keyID: id))
    }

    @Test("digests are listed under every key, newest first, so that old ones are found")
    func digests() throws {
        let (old, new) = (MasterKey.generate(), MasterKey.generate())
        let stored = try Keyring([old]).digest(secret, purpose: "api key")
        let keyring = try Keyring([new, old])
        #expect(keyring.digests(secret, purpose: "api key") == [keyring.digest(secret, purpose: "api key"), stored])
    }

    @Test("a MAC is recomputed under the key it was made with, and is gone with that key")
    func mac() throws {
        let (old, new) = (MasterKey.generate(), MasterKey.generate())
        let before = try Keyring([old])
        let id = try #require(KeyID(before.newestKeyID.bytes))
        let mac = try #require(before.mac(secret, purpose: "refresh", keyID: id))
        #expect(mac.count == 32)
        let during = try Keyring([new, old])
        #expect(during.newestKeyID != id)
        #expect(during.mac(secret, purpose: "refresh", keyID: id) == mac)
        #expect(during.mac(secret, purpose: "refresh", keyID: during.newestKeyID) != mac)
        #expect(during.mac(secret, purpose: "other", keyID: id) != mac)
        #expect(try Keyring([new]).mac(secret, purpose: "refresh", keyID: id) == nil)
        #expect(mac != before.digest(secret, purpose: "refresh"))
    }

    @Test("a key id has four bytes", arguments: [0, 3, 5])
    func keyIDLength(count: Int) {
        #expect(KeyID([UInt8](repeating: 0, count: count)) == nil)
    }
}
