@testable import ClientKeys
import Encoding
import Foundation
import Fuzzing
@testable import Signing

extension FuzzTarget {
    private static let point =
        #""kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM""#

    static let clientKeys: [FuzzTarget] = [
        FuzzTarget(
            "jwk-set", upTo: 2048,
            seeds: [
                #"{"keys":[{\#(point)}]}"#, #"{"keys":[{\#(point),"kid":"1","alg":"ES256"},{"kty":"RSA","n":"AQAB","e":"AQAB"}]}"#,
                #"{"keys":[{\#(point),"d":"AQAB"}]}"#, #"{"keys":[{\#(point),"key_ops":["verify"]}]}"#, #"{"keys":[]}"#, "[]", "{", "\u{0}",
            ]
        ) { bytes in
            guard let value = try? JSONValue(json: bytes) else { return }
            let published = PublicKeySet(published: bytes)
            try hold(published.map { (1...PublicKeySet.most).contains($0.keys.count) } ?? true, "a set of no or too many keys passed")
            guard let registered = try? PublicKeySet(value) else { return }
            try hold(published == registered, "the same set is read in two ways")
            let stored = registered.json
            try hold(PublicKeySet(published: stored) == registered, "it changes when it is stored")
            for member in [#""d""#, #""k""#] { try hold(!String(decoding: stored, as: UTF8.self).contains("\(member):"), "it is private") }
        },
        // A length that is wrong by a byte would make every certificate unreadable.
        FuzzTarget(
            "der", upTo: 70_000,
            bytes: [[], [0], [0x7F], [0x80], [0, 0, 1], [UInt8](repeating: 0xFF, count: 127), [UInt8](repeating: 1, count: 65536)]
        ) { bytes in
            let integer = try content(of: DER.integer(bytes), 0x02)
            try hold(integer.first.map { $0 < 0x80 } == true, "a negative or empty integer")
            try hold(integer.count == 1 || integer[0] != 0 || integer[1] >= 0x80, "not the shortest form")
            try hold(Array(integer.drop { $0 == 0 }) == Array(bytes.drop { $0 == 0 }), "another number")
            try hold(try content(of: DER.bitString(bytes), 0x03) == [0] + bytes, "another text")
            try hold(try content(of: DER.sequence(DER.integer(bytes), DER.null), 0x30) == DER.integer(bytes) + DER.null, "another sequence")
        },
    ]

    /// Reads one value (X.690, section 8.1), with code that the writer does not share.
    private static func content(of value: [UInt8], _ tag: UInt8) throws -> [UInt8] {
        try hold(value.count >= 2 && value[0] == tag, "another tag")
        var (start, length) = (2, Int(value[1]))
        if length >= 0x80 {
            start += length - 0x80
            try hold(value.count >= start && value[2] != 0, "a length that is too long")
            length = value[2..<start].reduce(0) { $0 << 8 | Int($1) }
            try hold(length >= 0x80, "not the shortest length")
        }
        try hold(value.count == start + length, "\(value.count - start) bytes instead of \(length)")
        return Array(value[start...])
    }
}
