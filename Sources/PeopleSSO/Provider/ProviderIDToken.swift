import ClientKeys
import Crypto
import Encoding
import Foundation

/// An id_token of a provider (OpenID Connect Core, sections 2 and 3.1.3.7). Its claims are checked, and its signature is not verified yet.
struct ProviderIDToken: Sendable {
    /// The values that the token must have.
    struct Expected: Sendable {
        let issuer, clientID, nonce: String
        /// The access token that came with it.
        let accessToken: String
        /// The time after which the person must have signed in at the provider. Nil if an earlier sign-in is enough.
        let earliestSignIn: Date?
    }

    static let algorithms = PublicKey.Algorithm.allCases.map(\.rawValue)
    /// In bytes.
    private static let longest = 32 * 1024
    /// The permitted difference between the provider's clock and ours, and the age of a new token. In seconds.
    static let (leeway, longestAge): (TimeInterval, TimeInterval) = (60, 600)

    /// Google signs in the members of all companies with one issuer, and consumers with a company's address too. Only `hd` says that the
    /// company manages the account (developers.google.com/identity/openid-connect/openid-connect).
    private static let sharedIssuer = "https://accounts.google.com"

    private let jws: CompactJWS
    let subject: String
    /// The address, if the provider has verified it.
    let verifiedEmail: String?
    let name: String?
    /// When the person signed in at the provider.
    let signedInAt: Date?

    /// Checks everything except the signature, so that an invalid token costs no fetch of the keys.
    init(_ text: String, for expected: Expected, at now: Date) throws(OIDCRefusal) {
        guard let jws = CompactJWS(text, upTo: Self.longest), let payload = jws.payload,
            case .object(let claims)? = try? JSONValue(json: payload)
        else { throw OIDCRefusal(.idToken, nil, "It is not a signed JWT of up to 32 KiB.") }
        guard Self.algorithms.has(jws.algorithm)
        else { throw OIDCRefusal(.idToken, "alg", "It must be \(Self.algorithms.joined(separator: ", ")).") }
        // A token of another kind must not sign anybody in (RFC 8725, section 3.11).
        guard jws.type.map({ $0.asciiLowercased.isSame(as: "jwt") }) ?? true
        else { throw OIDCRefusal(.idToken, "typ", "It must be JWT, or absent.") }
        guard claims["iss"]?.text?.isSame(as: expected.issuer) == true
        else { throw OIDCRefusal(.idToken, "iss", "It differs from the issuer that you set.") }
        // With another audience, another client could use the token here (section 3.1.3.7, step 3).
        let audiences: [JSONValue] = if case .array(let values)? = claims["aud"] { values } else { [claims["aud"] ?? .null] }
        guard audiences.count == 1, audiences[0].text?.isSame(as: expected.clientID) == true
        else { throw OIDCRefusal(.idToken, "aud", "It must be the client ID, and nothing else.") }
        guard claims["azp"].map({ $0.text?.isSame(as: expected.clientID) == true }) ?? true
        else { throw OIDCRefusal(.idToken, "azp", "It must be the client ID, or absent.") }

        func time(_ name: String) throws(OIDCRefusal) -> Date? {
            switch claims[name] {
            case nil: nil
            case .integer(let seconds)?: Date(timeIntervalSince1970: TimeInterval(seconds))
            case .number(let seconds)?: Date(timeIntervalSince1970: seconds)
            default: throw OIDCRefusal(.idToken, name, "It must be a number of seconds.")
            }
        }
        guard let expiresAt = try time("exp") else { throw OIDCRefusal(.idToken, "exp", "It is missing.") }
        guard now < expiresAt.addingTimeInterval(Self.leeway) else { throw OIDCRefusal(.idToken, "exp", "The token has expired.") }
        guard let issuedAt = try time("iat") else { throw OIDCRefusal(.idToken, "iat", "It is missing.") }
        guard abs(now.timeIntervalSince(issuedAt)) < Self.longestAge
        else { throw OIDCRefusal(.idToken, "iat", "The token is not new. Check the clock of the provider.") }
        if let start = try time("nbf"), start > now.addingTimeInterval(Self.leeway) {
            throw OIDCRefusal(.idToken, "nbf", "It is in the future.")
        }
        guard claims["nonce"]?.text?.isSame(as: expected.nonce) == true
        else { throw OIDCRefusal(.idToken, "nonce", "It differs from the nonce of the request.") }
        if let hash = claims["at_hash"] {
            // The left half of the hash. All algorithms use SHA-256.
            let half = Array(SHA256.hash(data: Data(expected.accessToken.utf8))).prefix(16)
            guard hash.text?.isSame(as: Array(half).base64URL) == true
            else { throw OIDCRefusal(.idToken, "at_hash", "It is not the hash of the access token.") }
        }
        let signedInAt = try time("auth_time")
        if let earliest = expected.earliestSignIn {
            guard let signedInAt, signedInAt > earliest
            else { throw OIDCRefusal(.idToken, "auth_time", "It must be a time of the last 10 minutes.") }
        }
        guard let subject = claims["sub"]?.text, (1...255).contains(subject.utf8.count),
            subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw OIDCRefusal(.idToken, "sub", "It must have 1 to 255 printable ASCII characters.") }
        // Some providers write the flag as a text.
        let isVerified = claims["email_verified"] == .bool(true) || claims["email_verified"] == .string("true")
        let address = isVerified ? claims["email"]?.text : nil
        if expected.issuer.isSame(as: Self.sharedIssuer), let address {
            guard let domain = SSODomain.ofAddress(address), claims["hd"]?.text?.asciiLowercased.isSame(as: domain) == true
            else { throw OIDCRefusal(.idToken, "hd", "It must be the domain of the address. Google accounts of consumers have none.") }
        }
        verifiedEmail = address
        (self.jws, self.subject, name) = (jws, subject, claims["name"]?.text)
        // A clock that is ahead must not make a sign-in younger than it is.
        self.signedInAt = signedInAt.map { min($0, now) }
    }

    /// Whether the `kid` of the token is among these keys.
    func isNamed(in set: PublicKeySet) -> Bool { set.mayVerify(jws) }

    func isSigned(byKeyOf set: PublicKeySet) -> Bool { set.verifies(jws) }
}
