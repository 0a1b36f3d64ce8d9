import Access
import ClientKeys
import Encoding
import Foundation
import Sealing
import Sessions
import Tenancy
import Users
import Web

/// An authorization request that an application sent directly (RFC 9126). It is sealed into the `request_uri` that the browser carries. It is
/// not a row, so that a caller without a secret cannot fill the database. So it can be opened again until it expires, for example when the
/// user reloads the page (section 4). Each time starts a sign-in of its own.
struct PushedRequest {
    static let lifetime: TimeInterval = 60
    /// The lifetime of the reference in the button of the sign-in page, which a person may leave open for a while.
    static let lifetimeOnPage: TimeInterval = 3600
    static let prefix = "urn:ietf:params:oauth:request_uri:"
    private static let purposes = ["pushed_request", "shown_request"]
    /// How many bytes the fields may have. One token of the keyring holds as many.
    private static let room = 3000
    /// The parameters with an effect. Others, such as `login_hint`, would only make the URI longer.
    private static let parameters = [
        "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce", "code_challenge", "code_challenge_method", "prompt",
        "max_age", "dpop_jkt", "screen_hint", "ui_locales",
    ]
    /// The parameters that no request may have. They are kept for the refusal.
    private static let refused = ["request", "registration"]

    enum Refusal: Error {
        case unreadable, expired
        /// The person left the sign-in page open for too long.
        case expiredOnPage
    }

    let tenant: ID<Tenant>
    let application: ID<Application>
    /// The parameters as a query.
    private let query: String
    private let pushedAt: Date
    /// Whether the sign-in page refers to it.
    private var isOnPage = false

    /// - Parameters:
    ///   - user: the user that the application expects (`id_token_hint`).
    ///   - key: the key that the request proves. The token request must prove it, too.
    init(
        _ form: Form, expecting user: ID<User>? = nil, boundTo key: KeyThumbprint?, by application: ID<Application>, of tenant: ID<Tenant>,
        at now: Date
    ) {
        (self.tenant, self.application, pushedAt) = (tenant, application, now)
        var fields = (Self.parameters + Self.refused).compactMap { name in form[name].map { "\(name)=\(Form.encode($0))" } }
        fields += form.values("resource").map { "resource=\(Form.encode($0))" }
        if form["dpop_jkt"] == nil, let key { fields.append("dpop_jkt=\(key.text)") }
        if let user { fields.append("id_token_hint=\(user)") }
        fields.append("client_id=\(application)")
        query = fields.joined(separator: "&")
    }

    /// The same request for the button of the sign-in page. It expires later.
    func onPage(at now: Date) -> PushedRequest {
        if isOnPage { return self }
        return PushedRequest(self, onPageSince: now)
    }

    private init(_ request: PushedRequest, onPageSince now: Date) {
        (tenant, application, query) = (request.tenant, request.application, request.query)
        (pushedAt, isOnPage) = (now, true)
    }

    /// The URI, or nil if the request is too long for one.
    func uri(with keyring: Keyring) -> String? {
        var fields = FieldWriter()
        fields.write(tenant.uuid)
        fields.write(application.uuid)
        fields.write(pushedAt)
        fields.write(query)
        guard fields.bytes.count <= Self.room else { return nil }
        return Self.prefix + keyring.sealToken(fields.bytes, purpose: Self.purposes[isOnPage ? 1 : 0])
    }

    /// Opens a URI that may be forged.
    init(opening uri: String, with keyring: Keyring, at now: Date) throws(Refusal) {
        guard uri.begins(with: Self.prefix),
            let opened = try? FieldReader.open(
                String(decoding: uri.utf8.dropFirst(Self.prefix.utf8.count), as: UTF8.self), with: keyring, purposes: Self.purposes)
        else { throw .unreadable }
        isOnPage = opened.purpose == 1
        do {
            var fields = opened.fields
            tenant = ID(try fields.uuid())
            application = ID(try fields.uuid())
            pushedAt = try fields.date()
            query = try fields.string()
        } catch { throw .unreadable }
        guard now < pushedAt.addingTimeInterval(isOnPage ? Self.lifetimeOnPage : Self.lifetime)
        else { throw isOnPage ? .expiredOnPage : .expired }
    }

    /// The parameters of the authorization request.
    var form: Form {
        get throws(Form.Refusal) { try Form(query, repeatable: TokenTarget.resource) }
    }
}
