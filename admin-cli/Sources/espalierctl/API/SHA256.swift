import Crypto

extension SHA256 {
    /// What it has come to so far, in hexadecimal.
    var text: String {
        finalize().map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
