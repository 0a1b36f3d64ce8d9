import Access
import Apple
import Encoding
import Foundation
import Hummingbird
import Sealing
import Tenancy

/// The name of a first sign-in that did not finish before a page could ask the person, or after the person had decided. Apple sends the
/// name once, and there is no user who could have it. So it waits in a cookie for the next sign-in of this Apple Account in this browser,
/// which asks the person again.
struct KeptName: Sendable {
    private static let lifetime: TimeInterval = 15 * 60
    private static let purpose = "kept_name"

    let tenant: ID<Tenant>
    private let connection: ID<Connection>
    private let subject: String
    let name: AppleUser?
    private let keptAt: Date

    /// - Parameter token: Apple's id_token, verified.
    init(_ name: AppleUser, of token: IDToken, through connection: Connection, of tenant: ID<Tenant>, at now: Date) {
        (self.name, subject) = (name, token.subject)
        (self.connection, self.tenant, keptAt) = (connection.id, tenant, now)
    }

    func sealed(with keyring: Keyring) -> String {
        var fields = FieldWriter()
        fields.write(tenant.uuid)
        fields.write(connection.uuid)
        fields.write(subject)
        fields.write(name?.givenName)
        fields.write(name?.familyName)
        fields.write(keptAt)
        return keyring.sealToken(fields.bytes, purpose: Self.purpose)
    }

    /// Nil unless it was sealed for the person of the token, in the last 15 minutes.
    init?(
        opening sealed: String, of token: IDToken, through expected: Connection, of expectedTenant: ID<Tenant>, with keyring: Keyring,
        at now: Date
    ) {
        do {
            var fields = FieldReader(try keyring.openToken(sealed, purpose: Self.purpose))
            (tenant, connection, subject) = (ID(try fields.uuid()), ID(try fields.uuid()), try fields.string())
            name = AppleUser(givenName: try fields.optionalString(), familyName: try fields.optionalString())
            keptAt = try fields.date()
        } catch { return nil }
        guard tenant == expectedTenant, connection == expected.id, subject.utf8.elementsEqual(token.subject.utf8),
            now < keptAt.addingTimeInterval(Self.lifetime)
        else { return nil }
    }
}

/// The failure of a sign-in whose name waits.
struct UnfinishedSignIn: Error {
    let cause: any Error
    let name: KeptName
}

extension SignInRoutes {
    /// The cookie with the name of a waiting identity that nobody has decided about, for the next sign-in of this Apple Account in this
    /// browser. Apple does not send the name again. Empty if there is none, if the connection no longer serves the tenant, or without
    /// Apple's keys.
    /// - Parameter removals: cookies that the response removes.
    func keptName(
        of waiting: WaitingIdentity?, _ tenant: TenantConfiguration, with cookie: AttemptCookie, after removals: [String] = [],
        _ request: Request, at now: Date
    ) async -> [String] {
        guard let waiting, let name = waiting.name, let connection = tenant.connection, connection.id == waiting.connection,
            let token = try? await waiting.token(of: connection, verifiedBy: apple)
        else { return [] }
        let kept = KeptName(name, of: token, through: connection, of: waiting.tenant, at: now)
        return cookie.setKeptName(kept.sealed(with: endpoints.keyring), after: removals, in: request, publicURL: endpoints.publicURL)
    }
}
