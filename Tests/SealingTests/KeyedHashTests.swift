import Foundation
import Testing

@testable import Sealing

@Suite("Keyring, keyed hashes")
struct KeyedHashTests {
    private let secret = Array("esk_live_0123456789".utf8)
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let row = SealingContext(tenant: UUID(), table: "api_key", column: "digest", row: "apikey_1")

    private func keyring(_ masters: [MasterKey] = [.generate()], _ keys: [DigestKey]? = nil) throws -> Keyring {
        try Keyring(masters).with(keys ?? [.generate(start: now)], at: now)
    }

    @Test("a digest is stable, 32 bytes long, and depends on secret, purpose and digest key, but not on the master key")
    func digest() throws {
        let key = DigestKey.generate(start: now)
        let keyring = try keyring([.generate()], [key])
        let digest = keyring.digest(secret, purpose: "api key")
        #expect(digest.count == 32)
        #expect(try self.keyring([.generate()], [key]).digest(secret, purpose: "api key") == digest)
        #expect(keyring.digest(secret + [0], purpose: "api key") != digest)
        #expect(keyring.digest(secret, purpose: "client secret") != digest)
        #expect(try self.keyring().digest(secret, purpose: "api key") != digest)
    }

    @Test("a letter moved from the secret to the purpose changes the digest")
    func unambiguous() throws {
        let keyring = try keyring()
        #expect(keyring.digest(Array("bc".utf8), purpose: "a") != keyring.digest(Array("c".utf8), purpose: "ab"))
        let id = keyring.currentDigestKeyID
        #expect(keyring.mac(Array("bc".utf8), purpose: "a", keyID: id) != keyring.mac(Array("c".utf8), purpose: "ab", keyID: id))
    }

    @Test("an imported key calculates what the version without digest keys calculated from the master key")
    func imported() throws {
        let keyring = try Keyring([try MasterKey(base64: "3q2+78r+ur4BI0VniavN7/7cuphqU0IxHg8tPEtaaXg=")])
        #expect(keyring.masterKeyIDs.map(\.description) == ["edc53088"])
        let upgraded = try keyring.with(keyring.digestKeysOfMasterKeys + [.generate(start: now + 1)], at: now)
        func hex(_ bytes: [UInt8]?) -> String { (bytes ?? []).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
        // Calculated with Python's hmac module.
        #expect(
            hex(upgraded.digest(secret, purpose: "api_key")) == "a0051742e077d3be72339360a2664d23b102594e69077870b9d4a609fcf37ee0")
        #expect(upgraded.currentDigestKeyID.description == "edc53088")
        #expect(
            hex(upgraded.mac(secret, purpose: "refresh_token", keyID: upgraded.currentDigestKeyID))
                == "f11d1b7dd3d49720e7e3aa4906af2640c3bb84c5ae959e91a0d70dd774640795")
    }

    @Test("a random key is used from its start; before, the key of the first master key is used; every key always verifies")
    func start() throws {
        let masters = [MasterKey.generate(), .generate()]
        let imported = try Keyring(masters).digestKeysOfMasterKeys
        let random = DigestKey.generate(start: now)
        let before = try Keyring(masters).with([random] + imported.reversed(), at: now - 1)
        let after = try Keyring([.generate()]).with([random] + imported, at: now)
        #expect(before.currentDigestKeyID == imported[0].id)
        #expect(after.currentDigestKeyID == random.id)
        #expect(Set(before.digests(secret, purpose: "x")) == Set(after.digests(secret, purpose: "x")))
        #expect(before.digests(secret, purpose: "x")[0] == before.digest(secret, purpose: "x"))
        for key in imported + [random] {
            #expect(before.mac(secret, purpose: "x", keyID: key.id) == after.mac(secret, purpose: "x", keyID: key.id))
            #expect(before.mac(secret, purpose: "x", keyID: key.id) != nil)
        }
        #expect(after.mac(secret, purpose: "x", keyID: try #require(KeyID([1, 2, 3, 4]))) == nil)
        #expect(throws: Keyring.Refusal.noDigestKey) { try Keyring(masters).with(imported, at: now) }
    }

    @Test("a bound digest authenticates only in its own row")
    func bound() throws {
        let keyring = try keyring()
        let (digests, stored) = (keyring.digests(secret, purpose: "x"), keyring.digest(secret, purpose: "x"))
        let bound = keyring.bind(stored, to: row)
        func authenticates(
            _ digests: [[UInt8]], _ stored: [UInt8], _ bound: [UInt8]?, _ row: SealingContext, with ring: Keyring? = nil
        ) -> Bool {
            let ring = ring ?? keyring
            return ring.authenticates(digests, digest: stored, ring.binding(of: stored, bound, to: row), at: now)
        }
        #expect(authenticates(digests, stored, bound, row))
        for other in [
            SealingContext(tenant: UUID(), table: row.table, column: row.column, row: row.row),
            SealingContext(tenant: nil, table: row.table, column: row.column, row: row.row),
            SealingContext(tenant: row.tenant, table: row.table, column: row.column, row: "apikey_2"),
            SealingContext(tenant: row.tenant, table: "application_secret", column: row.column, row: row.row),
        ] {
            #expect(!authenticates(digests, stored, bound, other))
        }
        let another = keyring.digest(secret + [0], purpose: "x")
        #expect(!authenticates(digests, another, keyring.bind(another, to: row), row))
        #expect(!authenticates(digests, stored, keyring.bind(another, to: row), row))
        #expect(!authenticates(digests, stored, Array(bound.dropLast()), row))
        #expect(!authenticates(digests, stored, [], row))
        #expect(!authenticates(digests, stored, nil, row))
        #expect(!authenticates([], stored, bound, row))
        #expect(!authenticates(digests, stored, bound, row, with: try self.keyring()))
    }

    @Test("a digest that is not bound authenticates only until the random key of an upgraded installation starts")
    func unbound() throws {
        let master = MasterKey.generate()
        let imported = try Keyring([master]).digestKeysOfMasterKeys
        let keyring = try Keyring([master]).with(imported + [.generate(start: now)], at: now - 60)
        let digests = keyring.digests(secret, purpose: "x")
        func authenticates(at time: Date) -> Bool {
            keyring.authenticates(digests, digest: digests[0], keyring.binding(of: digests[0], nil, to: row), at: time)
        }
        #expect(authenticates(at: now - 1))
        #expect(!authenticates(at: now))
        #expect(!keyring.acceptsUnboundDigests(at: now))
    }

    @Test("a digest key reads back from its plaintext only under its own ID")
    func plaintext() throws {
        let random = DigestKey.generate(start: now)
        let imported = try Keyring([.generate()]).digestKeysOfMasterKeys[0]
        for key in [random, imported] {
            let read = try DigestKey(key.plaintext, id: key.id)
            #expect(read.plaintext == key.plaintext && read.start == key.start && read.id == key.id)
            #expect(throws: SealingError.malformed) { try DigestKey(key.plaintext + [0], id: key.id) }
            #expect(throws: SealingError.malformed) { try DigestKey(Array(key.plaintext.dropLast()), id: key.id) }
            #expect("\(key)" == "<secret>")
        }
        #expect(throws: SealingError.malformed) { try DigestKey(random.plaintext, id: imported.id) }
        #expect(throws: SealingError.malformed) { try DigestKey([], id: random.id) }
    }

    @Test("a value is sealed again under the newest key; a value that is already sealed under it does not change")
    func resealed() throws {
        let (old, new) = (MasterKey.generate(), MasterKey.generate())
        let sealed = try Keyring([old]).seal(secret, in: row)
        let moved = try #require(try Keyring([new, old]).resealed(sealed, in: row))
        #expect(try Keyring([new]).open(moved, in: row) == secret)
        #expect(try Keyring([new, old]).resealed(moved, in: row) == nil)
        #expect(throws: SealingError.unknownKey) { try Keyring([new]).resealed(sealed, in: row) }
    }

    @Test("a key ID has four bytes", arguments: [0, 3, 5])
    func keyIDLength(count: Int) {
        #expect(KeyID([UInt8](repeating: 0, count: count)) == nil)
    }
}
