import CArgon2
import Encoding

/// The Argon2id hash of a password (RFC 9106), to store instead of the password.
///
/// A hash takes about 20 ms of a processor and the memory of its cost. So calculate it on a thread of its own, and limit the number of
/// hashes at the same time. Store the text sealed: without the master key, a dump of the database then contains no hash to try passwords
/// on.
package struct PasswordHash: Sendable {
    /// The work that one hash takes.
    package struct Cost: Sendable, Equatable {
        /// In KiB.
        package let memory: UInt32
        package let passes: UInt32

        /// - Parameters:
        ///   - memory: From 8 to 262144 KiB (256 MiB).
        ///   - passes: From 1 to 16.
        package init(memory: UInt32, passes: UInt32) {
            precondition(Self.isPermitted(memory: memory, passes: passes))
            (self.memory, self.passes) = (memory, passes)
        }

        /// 19 MiB and 2 passes: the least that OWASP's Password Storage Cheat Sheet permits for Argon2id.
        ///
        /// RFC 9106, section 4, recommends 2 GiB and 1 pass, or 64 MiB and 3 passes for machines with less memory. Even the latter takes
        /// at least 5 times as long. Anyone can cause a hash with a sign-in, so a flood of sign-ins would then keep people out with a fifth
        /// of the requests. The limits of failed sign-ins and the seal around the stored hash protect the password, too.
        package static let standard = Cost(memory: 19 * 1024, passes: 2)

        fileprivate static func isPermitted(memory: UInt32, passes: UInt32) -> Bool {
            (8...(256 * 1024)).contains(memory) && (1...16).contains(passes)
        }
    }

    /// The memory for the hash is missing. Nothing is known about the password.
    package struct OutOfMemory: Error {}

    package let cost: Cost
    private let salt: [UInt8]
    private let tag: [UInt8]

    private static let saltByteCount = 16
    private static let tagByteCount = 32

    /// Hashes a password with a random salt.
    /// - Throws: `OutOfMemory`.
    package init(of password: [UInt8], cost: Cost = .standard) throws(OutOfMemory) {
        let salt = Self.randomBytes(Self.saltByteCount)
        self.init(cost: cost, salt: salt, tag: try Self.tag(of: password, salt: salt, cost: cost))
    }

    private init(cost: Cost, salt: [UInt8], tag: [UInt8]) {
        (self.cost, self.salt, self.tag) = (cost, salt, tag)
    }

    /// A hash that no password has. Its verification takes as long as that of a real one, so it hides that there is no password.
    package static func dummy(cost: Cost = .standard) -> PasswordHash {
        PasswordHash(cost: cost, salt: randomBytes(saltByteCount), tag: randomBytes(tagByteCount))
    }

    /// Whether this is the hash of the password. The comparison takes constant time.
    /// - Throws: `OutOfMemory`.
    package func matches(_ password: [UInt8]) throws(OutOfMemory) -> Bool {
        constantTimeEqual(try Self.tag(of: password, salt: salt, cost: cost), tag)
    }

    private static func tag(of password: [UInt8], salt: [UInt8], cost: Cost) throws(OutOfMemory) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: tagByteCount)
        // One lane, because a second one would take a second processor from another request. The library erases its memory.
        let status = argon2id_hash_raw(cost.passes, cost.memory, 1, password, password.count, salt, salt.count, &tag, tagByteCount)
        guard status != ARGON2_MEMORY_ALLOCATION_ERROR.rawValue else { throw OutOfMemory() }
        precondition(status == ARGON2_OK.rawValue, "Argon2 refuses only inputs of a wrong size, and these are right: \(status)")
        return tag
    }

    private static func randomBytes(_ count: Int) -> [UInt8] {
        var random = SystemRandomness()
        return (0..<count).map { _ in .random(in: .min ... .max, using: &random) }
    }
}

// MARK: The stored form

extension PasswordHash {
    /// In bytes. The longest text of a permitted hash is shorter.
    private static let longestText = 256

    /// The hash in the PHC string format, such as `$argon2id$v=19$m=19456,t=2,p=1$SALT$TAG`, in base64 without padding.
    package var text: Secret {
        Secret("$argon2id$v=19$m=\(cost.memory),t=\(cost.passes),p=1$\(salt.base64Unpadded)$\(tag.base64Unpadded)")
    }

    /// Reads a stored hash. Nil for every text that `text` does not return, and for a cost outside the limits, so that a changed row cannot
    /// take all memory.
    package init?(_ text: Secret) {
        let text = text.reveal()
        guard text.utf8.count <= Self.longestText else { return nil }
        let parts = text.parts(at: "$", includingEmpty: true)
        guard parts.count == 6 else { return nil }
        let costs = parts[3].parts(at: ",", includingEmpty: true)
        guard costs.count == 3, let memory = UInt32(costs[0].dropFirst(2)), let passes = UInt32(costs[1].dropFirst(2)),
            Cost.isPermitted(memory: memory, passes: passes),
            let salt = [UInt8](base64Unpadded: parts[4]), (8...64).contains(salt.count),
            let tag = [UInt8](base64Unpadded: parts[5]), tag.count == Self.tagByteCount
        else { return nil }
        self.init(cost: Cost(memory: memory, passes: passes), salt: salt, tag: tag)
        // Each hash has one text. This also checks the algorithm, the version and the names of the parameters.
        guard self.text.reveal().isSame(as: text) else { return nil }
    }
}

extension [UInt8] {
    /// Standard base64 without padding, which the PHC string format has (RFC 4648, section 4).
    fileprivate var base64Unpadded: String {
        String(decoding: base64URL.utf8.map { $0.swapped("-_", for: "+/") }, as: UTF8.self)
    }

    fileprivate init?(base64Unpadded text: Substring) {
        let bytes = text.utf8.map { $0.swapped("+/", for: "-_") }
        self.init(base64URL: bytes[...])
    }
}

extension UInt8 {
    /// The character at the same place of the second text, if this one is in the first text.
    fileprivate func swapped(_ old: StaticString, for new: StaticString) -> UInt8 {
        for place in 0..<2 where self == old.utf8Start[place] { return new.utf8Start[place] }
        return self
    }
}

extension PasswordHash: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<secret>" }
    package var debugDescription: String { "<secret>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
