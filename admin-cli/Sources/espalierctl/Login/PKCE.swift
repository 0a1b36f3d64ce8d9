import Crypto
import Foundation

/// A secret of a login, and its digest (RFC 7636, S256).
struct PKCE {
    /// 43 characters with 256 bits.
    let verifier: String

    init() {
        verifier = Self.random()
    }

    init(verifier: String) {
        self.verifier = verifier
    }

    var challenge: String {
        Self.base64URL(Data(SHA256.hash(data: Data(verifier.utf8))))
    }

    /// A random text with 256 bits.
    static func random() -> String {
        SymmetricKey(size: .bits256).withUnsafeBytes { base64URL(Data($0)) }
    }

    private static func base64URL(_ data: Data) -> String {
        String(
            decoding: data.base64EncodedData().compactMap { byte -> UInt8? in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                case UInt8(ascii: "="): nil
                default: byte
                }
            }, as: UTF8.self)
    }
}
