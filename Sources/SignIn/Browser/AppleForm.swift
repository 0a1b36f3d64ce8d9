import Access
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Pages
import Sealing
import Sessions
import Tenancy
import Web

/// The form that Apple posts to the Return URL.
///
/// The platform's Return URL passes the form of an attempt at an own host of a tenant on to this host. All tenants on the shared connection
/// have one Services ID, so a code or an id_token of it signs its user in at each of them. A record in DNS proves a host, but not that it
/// leads to this server. So the host gets the form sealed: only this server opens it, for this attempt alone, and only with the attempt's
/// cookie.
struct AppleForm: Sendable {
    /// The field with a sealed form.
    static let field = "apple_answer"
    private static let purpose = "apple_answer"
    /// A browser passes the form on at once. In seconds.
    private static let lifetime: TimeInterval = 120
    /// How many bytes a token of the keyring has, and how many tokens a form may need. One is enough for Apple.
    private static let (partLength, mostParts) = (3000, 4)

    let code, idToken, user, error: String?
    /// When the form was sealed. Nil in clear text.
    private let sealedAt: Date?

    init(_ form: Form) {
        (code, idToken, user, error) = (form["code"], form["id_token"], form["user"], form["error"])
        sealedAt = nil
    }

    func isExpired(at now: Date) -> Bool { sealedAt.map { now >= $0.addingTimeInterval(Self.lifetime) } ?? false }

    /// The value of the field. Nil if the form is longer than Apple's.
    func sealed(for login: ID<LoginID>, with keyring: Keyring, at now: Date) -> String? {
        let texts = [code, idToken, user, error]
        guard texts.reduce(0, { $0 + ($1 ?? "").utf8.count }) <= Self.partLength * (Self.mostParts - 1) else { return nil }
        var fields = FieldWriter()
        fields.write(now)
        for text in texts { fields.write(text) }
        let bytes = fields.bytes
        let count = (bytes.count + Self.partLength - 1) / Self.partLength
        return (0..<count).map { number in
            let part = Array(bytes[(number * Self.partLength)...].prefix(Self.partLength))
            return keyring.sealToken(part, purpose: Self.purpose(ofPart: number, of: count, for: login))
        }.joined(separator: ".")
    }

    init(opening sealed: String, for login: ID<LoginID>, with keyring: Keyring) throws(LoginAttempt.Refusal) {
        let parts = sealed.parts(at: ".", atMost: Self.mostParts + 1, includingEmpty: true)
        guard parts.count <= Self.mostParts else { throw .unreadable }
        do {
            var bytes: [UInt8] = []
            for (number, part) in parts.enumerated() {
                bytes += try keyring.openToken(String(part), purpose: Self.purpose(ofPart: number, of: parts.count, for: login))
            }
            var fields = FieldReader(bytes)
            sealedAt = try fields.date()
            code = try fields.optionalString()
            idToken = try fields.optionalString()
            user = try fields.optionalString()
            error = try fields.optionalString()
        } catch {
            throw .unreadable
        }
    }

    /// A part opens only at its position in a form for its attempt.
    private static func purpose(ofPart number: Int, of count: Int, for login: ID<LoginID>) -> String {
        "\(purpose)/\(login)/\(number)/\(count)"
    }
}

extension SignInRoutes {
    /// The page that passes Apple's answer on to the own host at which the attempt started. Nil for an attempt at the public URL, and for a
    /// state that this server did not seal. So the form leads nowhere else.
    func passingOn(_ form: Form, _ request: Request, _ context: WebContext, at now: Date) async throws -> Response? {
        guard let origin = LoginAttempt.origin(of: form["state"] ?? "", with: endpoints.keyring) else { return nil }
        let found = try await endpoints.showingOutage(.outageAtCallback, context) { try await endpoints.directory.find(origin.tenant) }
        guard let found, found.tenant.addresses.hosts.has(origin.host),
            // A process that does not know the host yet serves the public URL there. The form must not lead here again and again.
            request.head.authority.flatMap({ HostName.name(in: $0) })?.isSame(as: origin.host) != true
        else { return nil }
        guard let sealed = AppleForm(form).sealed(for: origin.login, with: endpoints.keyring, at: now)
        else { throw page(for: .unreadable) }
        metrics.count(.callback, "own_host")
        let address = endpoints.origin(ofHost: origin.host) + "/auth/apple/callback"
        return FormPostPage(
            action: address, at: PagePolicy.forms(redirectingTo: [address, origin.redirectURI]),
            fields: [("state", form["state"] ?? ""), (AppleForm.field, sealed)]
        ).response(for: request, cookies: [])
    }

    /// The form that Apple has sent in response to an attempt. With the shared connection, it never comes to an own host in clear text, so
    /// such a form is not from Apple.
    func appleForm(
        _ form: Form, to attempt: LoginAttempt, _ tenant: TenantConfiguration
    ) throws(LoginAttempt.Refusal) -> AppleForm {
        let sealed = form[AppleForm.field]
        guard attempt.host != nil, sealed != nil || tenant.connection?.ownership == .shared else { return AppleForm(form) }
        return try AppleForm(opening: sealed ?? "", for: attempt.login, with: endpoints.keyring)
    }
}
