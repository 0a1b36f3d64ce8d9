import Foundation
import Fuzzing
@testable import Sealing

extension Keyring {
    /// Not secret and the same in every run, so that the same input has the same result.
    static let fuzzed: Keyring = {
        guard let key = try? MasterKey(base64: "3q2+78r+ur4BI0VniavN7/7cuphqU0IxHg8tPEtaaXg="), let masters = try? Keyring([key]),
            // The imported key is current, so that tokens are the same in every run.
            let keyring = try? masters.with(masters.digestKeysOfMasterKeys + [.generate(start: .distantFuture)], at: Date())
        else {
            preconditionFailure("the key is a constant")
        }
        return keyring
    }()
}

extension FuzzTarget {
    static let sealing: [FuzzTarget] = [
        FuzzTarget(
            text: "master-key",
            seeds: [
                "3q2+78r+ur4BI0VniavN7/7cuphqU0IxHg8tPEtaaXg=", " 3q2+78r+ur4BI0VniavN7/7cuphqU0IxHg8tPEtaaXg=\n", "AAAA", "",
                "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
            ]
        ) { text in
            guard let key = try? MasterKey(base64: text) else { return }
            try hold(key.bytes.count == 32, "it has \(key.bytes.count) bytes")
            try hold(try MasterKey(base64: key.base64.reveal()).bytes == key.bytes, "the written key reads back differently")
            try hold("\(key)" == "<secret>", "it prints")
        },
        FuzzTarget("sealed", bytes: [[0, 0, 1], [0, 5, 255, 0, 40, 128], [1, 2, 3, 4, 5, 6]]) { edits in
            // Each three bytes change one byte of a sealed value: its position and the change.
            let context = SealingContext(tenant: nil, table: "t", column: "c", row: "r")
            let sealed = Keyring.fuzzed.seal(Array("a secret".utf8), in: context)
            var bytes = sealed.bytes
            for at in stride(from: 0, to: edits.count - 2, by: 3) {
                bytes[(Int(edits[at]) << 8 | Int(edits[at + 1])) % bytes.count] ^= edits[at + 2]
            }
            let opened = try? Keyring.fuzzed.open(Sealed(bytes: bytes), in: context)
            try hold((opened != nil) == (bytes == sealed.bytes), "a changed value opens")
            // And unchanged: a value that nobody sealed.
            try hold((try? Keyring.fuzzed.open(Sealed(bytes: edits), in: context)) == nil, "an invented value opens")
        },
        FuzzTarget(text: "sealed-token", upTo: 5000, seeds: ["", "AQAAAAA", String(repeating: "A", count: 80)]) { text in
            try hold((try? Keyring.fuzzed.openToken(text, purpose: "p")) == nil, "an invented token opens")
            let token = Keyring.fuzzed.sealToken(Array("a secret".utf8), purpose: "p")
            guard !text.isEmpty else { return }
            // Neither with a byte before it, nor after it.
            try hold((try? Keyring.fuzzed.openToken(token + text, purpose: "p")) == nil, "text after a token is ignored")
            try hold((try? Keyring.fuzzed.openToken(text + token, purpose: "p")) == nil, "text before a token is ignored")
            try hold((try? Keyring.fuzzed.openToken(token, purpose: "p" + text)) == nil, "it opens for another purpose")
        },
    ]
}
