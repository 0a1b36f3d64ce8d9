import Encoding

/// The statements of a browser about the page that used a passkey (Level 3, section 5.8.1). The signature of an assertion covers the hash
/// of these bytes.
struct ClientData: Sendable {
    /// In bytes. A challenge of 32 bytes and an origin have less than 400.
    private static let longest = 4096

    let type: String
    /// In base64url.
    let challenge: String
    let origin: String
    /// Whether the page was in a frame of another origin.
    let isCrossOrigin: Bool
    /// The origin of the outermost page, if it is another one.
    let topOrigin: String?

    /// Nil if the bytes are not strict JSON with these members.
    ///
    /// Other members have no meaning, because browsers add some to test this (section 5.8.1.1). A byte order mark is refused. The
    /// specification has it removed, but no browser writes one.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.longest, case .object(let members)? = try? JSONValue(json: bytes),
            let type = members["type"]?.text, let challenge = members["challenge"]?.text, let origin = members["origin"]?.text
        else { return nil }
        (self.type, self.challenge, self.origin) = (type, challenge, origin)
        switch members["crossOrigin"] {
        case nil: isCrossOrigin = false
        case .bool(let flag): isCrossOrigin = flag
        default: return nil
        }
        switch members["topOrigin"] {
        case nil: topOrigin = nil
        case .string(let text): topOrigin = text
        default: return nil
        }
    }
}
