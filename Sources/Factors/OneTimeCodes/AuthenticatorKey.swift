import Crypto
import Encoding
package import Foundation
package import Sealing

/// The key that a person's authenticator app shares with the server. The app shows a code of 6 digits from it, and a new one every 30 s
/// (TOTP, RFC 6238).
///
/// SHA-1, 6 digits and 30 s are the only values that all apps support. HMAC does not need the collision resistance that SHA-1 lacks
/// (RFC 4226, appendix B).
package struct AuthenticatorKey: Sendable {
    /// 160 bits, as recommended in RFC 4226, section 4.
    static let byteCount = 20
    /// In seconds.
    static let period = 30
    private static let digitCount = 6
    /// In bytes, with the spaces that a person may type.
    private static let longestTyped = 32

    private let secret: Secret

    package static func random() -> AuthenticatorKey {
        var random = SystemRandomness()
        return AuthenticatorKey(secret: Secret(bytes: (0..<byteCount).map { _ in .random(in: .min ... .max, using: &random) }))
    }

    private init(secret: Secret) {
        self.secret = secret
    }

    /// Reads the stored form. Nil for another number of bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        secret = Secret(bytes: bytes)
    }

    /// The stored form. Store it sealed, because the server needs it for each code.
    package var bytes: [UInt8] { secret.revealBytes() }

    /// The key as a person types it: base32 in groups of 4 letters and digits. Apps ignore the spaces.
    package var text: Secret {
        let digits = Array(bytes.base32.utf8)
        let groups = stride(from: 0, to: digits.count, by: 4).map { digits[$0..<min($0 + 4, digits.count)] }
        return Secret(bytes: Array(groups.joined(separator: [UInt8(ascii: " ")])))
    }
}

// MARK: Codes

extension AuthenticatorKey {
    /// The number of the time step (RFC 6238, section 4.2).
    package static func step(at time: Date) -> Int64 {
        Int64((time.timeIntervalSince1970 / Double(period)).rounded(.down))
    }

    /// The digits of a time step (RFC 4226, section 5.3).
    func code(at step: Int64) -> [UInt8] {
        let counter = withUnsafeBytes(of: step.bigEndian, Array.init)
        let mac = HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: bytes)).withUnsafeBytes(Array.init)
        let offset = Int(mac[mac.count - 1] & 0x0F)
        var rest = mac[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        var digits: [UInt8] = []
        for _ in 0..<Self.digitCount {
            digits.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        }
        return digits.reversed()
    }

    /// The time step of a typed code, or nil if the code is wrong or was used.
    ///
    /// The steps before and after the current one count too, for the delay of the person and the clock of the phone (RFC 6238, section
    /// 5.2). Store the returned step in one statement that requires a smaller stored step, and refuse the sign-in if no row matches. Then
    /// two sign-ins at the same time cannot use one code. A caller can guess 3 of 1,000,000 codes at a time, so limit the failed codes of a
    /// person.
    /// - Parameters:
    ///   - typed: Spaces do not count.
    ///   - last: The last used step. It and all earlier steps are refused, so that an observer of a code cannot use it again.
    package func step(of typed: String, after last: Int64?, at now: Date) -> Int64? {
        guard let digits = Self.digits(in: typed) else { return nil }
        let current = Self.step(at: now)
        var found: Int64?
        // All are compared. Two steps can have the same code by chance. The later one makes it a used code for both.
        for step in (current - 1)...(current + 1) where constantTimeEqual(code(at: step), digits) { found = step }
        guard let found, found > last ?? .min else { return nil }
        return found
    }

    /// The digits of a typed code. Nil if another character than a space is in it, or if the length is wrong.
    private static func digits(in typed: String) -> [UInt8]? {
        guard typed.utf8.count <= longestTyped else { return nil }
        let digits = typed.utf8.filter { $0 != UInt8(ascii: " ") }
        guard digits.count == digitCount, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return digits
    }
}
