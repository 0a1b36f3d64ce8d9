import Delivery
import Encoding

/// The discovery document of a provider (OpenID Connect Discovery, section 3), without the members that have no meaning here.
struct ProviderMetadata: Equatable, Sendable {
    /// How the client proves itself at the token endpoint (OpenID Connect Core, section 9).
    enum ClientAuthentication: String, CaseIterable, Sendable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
    }

    let authorizationEndpoint, tokenEndpoint, keysURI: String
    let authentication: ClientAuthentication
    /// Whether the authorization response always has `iss` (RFC 9207).
    let sendsIssuer: Bool

    /// The URL of the document of an issuer (section 4).
    static func url(of issuer: String) -> String {
        (issuer.utf8.last == UInt8(ascii: "/") ? String(issuer.unicodeScalars.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    /// Reads a document.
    /// - Parameter issuer: the issuer that the document must have, byte by byte (section 4.3). Otherwise one provider could name the
    ///   endpoints of another one.
    init(json: [UInt8], issuer: String, allowsPrivate: Bool) throws(OIDCRefusal) {
        guard case .object(let document)? = try? JSONValue(json: json)
        else { throw OIDCRefusal(.discovery, nil, "The document is not a JSON object of up to 64 KiB.") }
        guard let own = document["issuer"]?.text else { throw OIDCRefusal(.discovery, "issuer", "It is missing.") }
        guard own.isSame(as: issuer)
        else { throw OIDCRefusal(.discovery, "issuer", "It differs from the issuer that you set. Each byte must be the same.") }

        func url(_ name: String) throws(OIDCRefusal) -> String {
            guard let text = document[name]?.text, (1...2000).contains(text.utf8.count),
                WebhookURL.refusal(of: text, allowsPrivate: allowsPrivate) == nil
            else { throw OIDCRefusal(.discovery, name, "It must be an https URL without a user and a fragment.") }
            return text
        }
        authorizationEndpoint = try url("authorization_endpoint")
        tokenEndpoint = try url("token_endpoint")
        keysURI = try url("jwks_uri")

        /// A list of texts. Nil if it is missing.
        func list(_ name: String) throws(OIDCRefusal) -> [String]? {
            switch document[name] {
            case nil, .null: return nil
            case .array(let values)?:
                let texts = values.compactMap(\.text)
                if texts.count == values.count { return texts }
            default: break
            }
            throw OIDCRefusal(.discovery, name, "It must be a list of texts.")
        }
        guard try list("response_types_supported")?.has("code") ?? true
        else { throw OIDCRefusal(.discovery, "response_types_supported", "It must contain code.") }
        guard try list("code_challenge_methods_supported")?.has("S256") ?? true
        else { throw OIDCRefusal(.discovery, "code_challenge_methods_supported", "It must contain S256.") }
        guard
            try list("id_token_signing_alg_values_supported")?.contains(where: { ProviderIDToken.algorithms.has($0) }) ?? true
        else {
            throw OIDCRefusal(
                .discovery, "id_token_signing_alg_values_supported",
                "It must contain \(ProviderIDToken.algorithms.joined(separator: ", ")), or one of them.")
        }
        // Without the member, the method is the first one.
        let methods = try list("token_endpoint_auth_methods_supported") ?? [ClientAuthentication.basic.rawValue]
        guard let authentication = ClientAuthentication.allCases.first(where: { methods.has($0.rawValue) })
        else {
            throw OIDCRefusal(
                .discovery, "token_endpoint_auth_methods_supported", "It must contain client_secret_basic or client_secret_post.")
        }
        self.authentication = authentication
        switch document["authorization_response_iss_parameter_supported"] {
        case nil, .null: sendsIssuer = false
        case .bool(let isSent)?: sendsIssuer = isSent
        default: throw OIDCRefusal(.discovery, "authorization_response_iss_parameter_supported", "It must be true or false.")
        }
    }
}
