import Access
import ClientKeys
import Delivery
import Encoding
import Foundation
import Hummingbird
import NIOCore
import Sessions
import Tenancy
import Web

/// The metadata of a client in a request, each member validated individually (RFC 7591, section 2; OpenID Connect Dynamic Client
/// Registration 1.0, section 2).
///
/// A replacement has the same members as a registration, and an absent member or null stands for the default (RFC 7592, section 2.2).
/// Members that Espalier does not know are ignored, as RFC 7591 requires.
struct ClientMetadata: Sendable {
    enum AuthMethod: String, CaseIterable {
        case none
        case client_secret_basic, client_secret_post, private_key_jwt

        var ofApplication: Application.AuthMethod {
            switch self {
            case .none: .onlyID
            case .client_secret_basic, .client_secret_post: .secret
            case .private_key_jwt: .privateKey
            }
        }
    }

    enum ApplicationType: String, CaseIterable { case web, native }

    private enum SubjectType: String, CaseIterable { case `public` }

    /// The largest body, in bytes.
    static let largestBody = 65_536

    /// In a replacement only.
    let clientID, clientSecret: String?

    let name: String?
    let redirectURIs, logoutURIs: [String]
    let backchannelLogoutURI, frontchannelLogoutURI, loginURL: String?
    let hasFrontchannelSession: Bool
    let method: AuthMethod?
    let type: ApplicationType?
    let grants: Grants
    let keys: PublicKeySet?
    let jwksURI: String?
    let signingAlgorithm: Application.SigningAlgorithm?
    let requiresPushedRequests, requiresDPoP: Bool
    let details: ClientDetails

    /// Reads the body of a request.
    /// - Parameter admit: gets the number of bytes, and throws to refuse the body.
    /// - Throws: `OAuthError` with the code of RFC 7591, section 3.2.2; `NIOTooManyBytesError`.
    init(_ request: Request, allowsPrivate: Bool, admit: (_ bytes: Int) throws -> Void = { _ in }) async throws {
        do {
            var request = request
            let body = try await request.body.whole(upTo: Self.largestBody)
            try admit(body.readableBytes)
            request.body = RequestBody(buffer: body)
            var fields = try await JSONFields(request)
            try self.init(&fields, allowsPrivate: allowsPrivate)
        } catch let problem as Problem {
            throw OAuthError(metadata: problem.fields, problem.detail)
        }
    }

    /// - Throws: `Problem` with each invalid member.
    init(_ fields: inout JSONFields, allowsPrivate: Bool) throws {
        clientID = fields.text("client_id", 1...100)
        clientSecret = fields.text("client_secret", 1...500)
        name = fields.text("client_name", refusal: DisplayName.refusal)
        let isURI: (String) -> String? = { uri in RedirectURI.refusal(of: uri).map { "It \($0)." } }
        redirectURIs = fields.texts("redirect_uris", count: 0...Application.mostURIs, refusal: isURI) ?? []
        logoutURIs = fields.texts("post_logout_redirect_uris", count: 0...Application.mostURIs, refusal: isURI) ?? []
        let isPublicURL: (String) -> String? = { WebhookURL.refusal(of: $0, allowsPrivate: allowsPrivate) }
        backchannelLogoutURI = fields.text("backchannel_logout_uri", 1...2000, refusal: isPublicURL)
        frontchannelLogoutURI = fields.text("frontchannel_logout_uri", 1...2000, refusal: FrontchannelLogoutURI.refusal)
        // OpenID Connect Front-Channel Logout, section 2.
        hasFrontchannelSession = fields.flag("frontchannel_logout_session_required") ?? false
        loginURL = fields.text("initiate_login_uri", 1...2000, refusal: LoginURL.refusal)
        method = fields.choice("token_endpoint_auth_method", AuthMethod.self)
        type = fields.choice("application_type", ApplicationType.self)
        grants = Grants(&fields)
        jwksURI = fields.text("jwks_uri", 1...2000, refusal: isPublicURL)
        var keys: PublicKeySet?
        if let value = fields.value("jwks") {
            do { keys = try PublicKeySet(ofClient: value) } catch {
                fields.refuse("jwks" + (error.path.map { ".\($0)" } ?? ""), error.detail)
            }
        }
        self.keys = keys
        signingAlgorithm = fields.choice("id_token_signed_response_alg", Application.SigningAlgorithm.self)
        requiresPushedRequests = fields.flag("require_pushed_authorization_requests") ?? false
        requiresDPoP = fields.flag("dpop_bound_access_tokens") ?? false
        _ = fields.choice("subject_type", SubjectType.self)
        _ = fields.text("scope", 0...2000)
        details = ClientDetails(&fields)
        UnofferedMetadata.refuse(&fields)
        try fields.finishKnown()
    }

    /// The grant types and response types, without those that Espalier does not have. A response shows the client what it got (RFC 7591,
    /// section 3.2.1), so a longer list is accepted while one element of it remains.
    struct Grants: Sendable {
        /// Whether users sign in. If not, the client is a program that acts for itself.
        let signsIn: Bool
        /// Whether each login gets a refresh token. Otherwise it needs the scope `offline_access`.
        let refreshes: Bool

        static let code = "authorization_code"
        static let refresh = "refresh_token"
        static let machine = "client_credentials"
        /// Only an administrator permits it, because it helps phishing (RFC 8628, section 5.4).
        static let device = "urn:ietf:params:oauth:grant-type:device_code"

        init(_ fields: inout JSONFields) {
            let grants = fields.texts("grant_types", count: 0...20) ?? []
            let types = fields.texts("response_types", count: 0...20)
            signsIn = grants.isEmpty || grants.has(Self.code)
            refreshes = grants.has(Self.refresh)
            if !grants.isEmpty, !grants.has(Self.code), !grants.has(Self.machine) {
                fields.refuse("grant_types", "It must contain `\(Self.code)` or `\(Self.machine)`.")
            }
            if signsIn, grants.has(Self.machine) {
                fields.refuse(
                    "grant_types", "A client has either `\(Self.code)` or `\(Self.machine)`. Register two clients, one for each.")
            }
            // Both lists describe the same flows (RFC 7591, section 2.1).
            if signsIn, let types, !types.has("code") { fields.refuse("response_types", "It must contain `code`.") }
            if !signsIn, let types, !types.isEmpty {
                fields.refuse("response_types", "It must be empty for `\(Self.machine)`.")
            }
        }
    }
}

extension ClientDetails {
    fileprivate init(_ fields: inout JSONFields) {
        let isPage: (String) -> String? = { uri in
            uri.begins(with: "https://") || uri.begins(with: "http://")
                ? RedirectURI.refusal(of: uri).map { "It \($0)." } : "It must be an https URL."
        }
        client_uri = fields.text("client_uri", 1...2000, refusal: isPage)
        logo_uri = fields.text("logo_uri", 1...2000, refusal: isPage)
        tos_uri = fields.text("tos_uri", 1...2000, refusal: isPage)
        policy_uri = fields.text("policy_uri", 1...2000, refusal: isPage)
        contacts = fields.texts("contacts", count: 0...10) {
            $0.unicodeScalars.count <= 500 ? nil : "It must have at most 500 characters."
        }
        software_id = fields.text("software_id")
        software_version = fields.text("software_version")
        backchannel_logout_session_required = fields.flag("backchannel_logout_session_required")
    }
}

/// Metadata that a client must not rely on here. To ignore it would leave the client less protected than it expects.
enum UnofferedMetadata {
    static let softwareStatement = "software_statement"

    /// Members that are refused with any value, and the next step.
    private static let refused: [(name: String, advice: String)] = [
        ("id_token_encrypted_response_alg", "Espalier does not encrypt id_tokens. Leave it out."),
        ("id_token_encrypted_response_enc", "Espalier does not encrypt id_tokens. Leave it out."),
        ("userinfo_signed_response_alg", "Espalier does not sign userinfo responses. Leave it out."),
        ("userinfo_encrypted_response_alg", "Espalier does not encrypt userinfo responses. Leave it out."),
        ("userinfo_encrypted_response_enc", "Espalier does not encrypt userinfo responses. Leave it out."),
        ("authorization_signed_response_alg", "Espalier does not sign authorization responses. Leave it out."),
        ("authorization_encrypted_response_alg", "Espalier does not encrypt authorization responses. Leave it out."),
        ("authorization_encrypted_response_enc", "Espalier does not encrypt authorization responses. Leave it out."),
        ("default_max_age", "Espalier does not store it. Leave it out, and send max_age with each authorization request."),
    ]
    /// Members that are refused if they are true.
    private static let refusedIfTrue: [(name: String, advice: String)] = [
        ("require_signed_request_object", "Espalier does not support request objects. Leave it out."),
        ("tls_client_certificate_bound_access_tokens", "Espalier does not bind tokens to certificates. Leave it out."),
    ]

    static func refuse(_ fields: inout JSONFields) {
        for (name, advice) in refused where fields.value(name) != nil { fields.refuse(name, advice) }
        for (name, advice) in refusedIfTrue where fields.flag(name) == true { fields.refuse(name, advice) }
        if fields.value(softwareStatement) != nil {
            fields.refuse(softwareStatement, "Espalier approves no software statements. Leave it out.")
        }
    }
}

extension OAuthError {
    /// The refusal of metadata (RFC 7591, section 3.2.2).
    /// - Parameter detail: the description if no member is at fault.
    init(metadata fields: [Problem.Field], _ detail: String = "") {
        let code: Code =
            if fields.contains(where: { $0.field.isSame(as: UnofferedMetadata.softwareStatement) }) {
                .unapprovedSoftwareStatement
            } else if let first = fields.first, first.field.begins(with: "redirect_uris") {
                .invalidRedirectURI
            } else {
                .invalidClientMetadata
            }
        // Three mistakes are enough for one header line of a log, and each repeated request shows the next ones.
        let text = fields.isEmpty ? detail : fields.prefix(3).map { "\($0.field): \($0.detail)" }.joined(separator: " ")
        // The characters of a description (RFC 6749, section 5.2). The name of a member of `jwks` may have others.
        let permitted = text.unicodeScalars.map { (0x20...0x7E).contains($0.value) && $0 != "\"" && $0 != "\\" ? Character($0) : "?" }
        self.init(code, String(permitted))
    }
}
