import Crypto
import Foundation

/// A key for HMAC-SHA256 (RFC 2104), with the part of the calculation that is the same for all messages. That part is half of the cost.
struct MACKey: Sendable {
    private let start: HMAC<SHA256>

    init(_ key: SymmetricKey) {
        start = HMAC(key: key)
    }

    func code(for message: some DataProtocol) -> HMAC<SHA256>.MAC {
        var code = start
        code.update(data: message)
        return code.finalize()
    }
}

extension MACKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "<secret>" }
    var debugDescription: String { "<secret>" }
    /// No children, because the state of the hash is as secret as the key.
    var customMirror: Mirror { Mirror(self, children: []) }
}
