import Crypto

extension SHA256 {
    /// The digest of the data so far, in hexadecimal.
    var text: String {
        finalize().map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
