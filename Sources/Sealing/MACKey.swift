import Crypto
import Foundation

/// A key for HMAC-SHA256 (RFC 2104), with the part of the calculation that is the same for all messages. That part is half of the cost.
///
/// `HMAC` of swift-crypto reads a message as any `DataProtocol`. Without specialization, this takes several times as long as the hashes.
struct MACKey: Sendable {
    /// The states of the hashes after the block with the key.
    private let inner, outer: SHA256

    private static let blockByteCount = 64

    /// - Parameter key: At most 64 bytes. All keys here have 32.
    init(_ key: SymmetricKey) {
        let bytes = key.withUnsafeBytes(Array.init)
        precondition(bytes.count <= Self.blockByteCount, "a longer key must be hashed first")
        let padded = bytes + [UInt8](repeating: 0, count: Self.blockByteCount - bytes.count)
        func state(_ pad: UInt8) -> SHA256 {
            var hash = SHA256()
            padded.map { $0 ^ pad }.withUnsafeBytes { hash.update(bufferPointer: $0) }
            return hash
        }
        (inner, outer) = (state(0x36), state(0x5C))
    }

    func code(for message: [UInt8]) -> [UInt8] {
        message.withUnsafeBytes { code(for: $0) }
    }

    func code(for message: ArraySlice<UInt8>) -> [UInt8] {
        message.withUnsafeBytes { code(for: $0) }
    }

    private func code(for message: UnsafeRawBufferPointer) -> [UInt8] {
        var (inner, outer) = (inner, outer)
        inner.update(bufferPointer: message)
        inner.finalize().withUnsafeBytes { outer.update(bufferPointer: $0) }
        return outer.finalize().withUnsafeBytes(Array.init)
    }
}

extension MACKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "<secret>" }
    var debugDescription: String { "<secret>" }
    /// No children, because the state of the hash is as secret as the key.
    var customMirror: Mirror { Mirror(self, children: []) }
}
