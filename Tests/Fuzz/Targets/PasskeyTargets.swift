import Crypto
import Foundation
import Fuzzing
@testable import Passkeys

extension FuzzTarget {
    private static let now = Date(timeIntervalSince1970: 1_795_000_000)
    private static let party = RelyingParty(name: "Fuzz", origins: ["https://login.test"])!
    private static let challenge = PasskeyChallenge(saved: [UInt8](repeating: 1, count: 32), createdAt: now)!
    private static let otherChallenge = PasskeyChallenge(saved: [UInt8](repeating: 2, count: 32), createdAt: now)!
    private static let key = try! P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 7, count: 32))
    private static let handle: [UInt8] = [1]

    static let passkeys: [FuzzTarget] = [
        // Two forms of one value would let two readers read different values.
        FuzzTarget("cbor", upTo: 4096, bytes: values) { bytes in
            guard let value = try? CBORValue(canonical: bytes, upTo: 4096) else { return }
            try hold(encoded(value) == bytes, "it has another form")
        },
        FuzzTarget("cose-key", upTo: 256, bytes: [cose, edwards]) { bytes in
            guard (try? CredentialKey(cose: bytes)) != nil else { return }
            try hold(bytes.count == cose.count || bytes.count == edwards.count, "a key of \(bytes.count) bytes")
        },
        FuzzTarget("authenticator-data", upTo: 2048, bytes: layouts) { bytes in
            guard let data = AuthenticatorData(bytes) else { return }
            let start = written(data)
            try hold(bytes.starts(with: start), "its parts are not in it")
            try hold(bytes.count == start.count || data.flags.contains(.extensions), "more follows")
        },
        FuzzTarget("client-data", upTo: 1024, seeds: texts) { bytes in
            guard passes(bytes, "webauthn.get", challenge) else { return }
            try hold(!passes(bytes, "webauthn.get", otherChallenge), "it is accepted for another challenge")
            try hold(!passes(bytes, "webauthn.create", challenge), "it is accepted as a registration")
        },
        FuzzTarget("assertion", upTo: 256, bytes: [good, data(0x9D, [0xA0]), data(0x0D)]) { bytes in
            let passkey = Passkey(
                id: [1], publicKey: cose, aaguid: [], signCount: 0, isBackupEligible: true, isBackedUp: true, transports: [])
            let response = AssertionResponse(
                credentialID: [1], userHandle: handle, clientData: Array(clientData.utf8), authenticatorData: bytes, signature: signature)
            let next = try? party.verify(response, with: passkey, of: .named(userHandle: handle), challenge: challenge, at: now)
            try hold((next != nil) == (bytes == good), bytes == good ? "the good one did not pass" : "a forged assertion passed")
        },
    ]

    // MARK: Seeds

    private static let values: [[UInt8]] = [
        object, cose, [0x83, 1, 0x20, 0xF6], [0xA2, 1, 0xF4, 0x61, 0x61, 0xF5], [0x19, 1, 0], [0x1B, 0, 0, 0, 1, 0, 0, 0, 0], [0x58, 0x18],
        [0x9B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x81, 0x81, 0x81, 0x81, 0x81, 0x80], [0xBF, 0xFF],
    ]

    private static let object: [UInt8] = {
        var bytes: [UInt8] = [0xA3]
        for (name, value) in [("fmt", [0x61, 0x61]), ("attStmt", [0xA0]), ("authData", [0x41, 1])] as [(String, [UInt8])] {
            bytes.append(0x60 + UInt8(name.utf8.count))
            bytes += Array(name.utf8) + value
        }
        return bytes
    }()

    private static let cose: [UInt8] = {
        let point = Array(key.publicKey.x963Representation)
        var bytes: [UInt8] = [0xA5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32]
        bytes += point[1...32]
        bytes += [0x22, 0x58, 32]
        bytes += point[33...]
        return bytes
    }()

    private static let edwards: [UInt8] = [0xA4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 32] + [UInt8](repeating: 3, count: 32)

    private static let credential: [UInt8] = [UInt8](repeating: 0xAA, count: 16) + [0, 2, 5, 6] + cose

    private static let layouts: [[UInt8]] = [
        good, data(0x5D, credential), data(0xDD, credential + [0xA1, 0x61, 0x61, 0xF5]), data(0x9D, [0xA0]), data(0), [],
    ]

    private static let good = data(0x1D)

    private static func data(_ flags: UInt8, _ more: [UInt8] = []) -> [UInt8] {
        var bytes = Array(SHA256.hash(data: Array("login.test".utf8)))
        bytes += [flags, 0, 0, 0, 1]
        return bytes + more
    }

    private static let texts: [String] = [
        clientData, clientData.replacingOccurrences(of: "false", with: "true"), #"{"type":"webauthn.get"}"#, "{}", "[]", "\u{0}",
        clientData.replacingOccurrences(of: "}", with: #","topOrigin":"https://a.test"}"#),
    ]

    private static let clientData =
        #"{"type":"webauthn.get","challenge":"\#(challenge.text)","origin":"https://login.test","crossOrigin":false}"#

    private static let signature: [UInt8] = {
        let signed = good + SHA256.hash(data: Array(clientData.utf8))
        return Array(try! key.signature(for: signed).derRepresentation)
    }()

    // MARK: Checks

    private static func passes(_ bytes: [UInt8], _ type: String, _ challenge: PasskeyChallenge) -> Bool {
        do { try party.check(bytes, is: type, challenge: challenge, at: now) } catch { return false }
        return true
    }

    private static func written(_ data: AuthenticatorData) -> [UInt8] {
        var bytes = data.rpIDHash
        bytes.append(data.flags.rawValue)
        bytes += withUnsafeBytes(of: data.signCount.bigEndian) { Array($0) }
        if let credential = data.credential {
            bytes += credential.aaguid
            bytes += [UInt8(credential.id.count >> 8), UInt8(credential.id.count & 0xFF)]
            bytes += credential.id + credential.publicKey
        }
        return bytes
    }

    /// Writes a value in the shortest form, with code that the reader does not share.
    private static func encoded(_ value: CBORValue) -> [UInt8] {
        switch value {
        case .unsigned(let number): head(0, number)
        case .negative(let number): head(1, number)
        case .bytes(let bytes): head(2, UInt64(bytes.count)) + bytes
        case .text(let text): head(3, UInt64(text.utf8.count)) + text.utf8
        case .array(let elements): head(4, UInt64(elements.count)) + elements.flatMap(encoded)
        case .map(let members): head(5, UInt64(members.count)) + members.flatMap { encoded($0.key) + encoded($0.value) }
        case .bool(let flag): [flag ? 0xF5 : 0xF4]
        case .null: [0xF6]
        }
    }

    private static func head(_ type: UInt8, _ number: UInt64) -> [UInt8] {
        let digits = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
        return switch number {
        case ..<24: [type << 5 | digits[7]]
        case ..<0x100: [type << 5 | 24] + digits[7...]
        case ..<0x1_0000: [type << 5 | 25] + digits[6...]
        case ..<0x1_0000_0000: [type << 5 | 26] + digits[4...]
        default: [type << 5 | 27] + digits
        }
    }
}
