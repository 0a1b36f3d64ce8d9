import Access
import ClientKeys
import Encoding
import Foundation
import Hummingbird
import Postgres
import Tenancy
import Users
import Web

/// An introspection response (RFC 7662, section 2.2). For a token that is invalid or that the caller may not inspect, it contains only
/// `active`, because a reason would reveal too much.
private struct Introspection: JSONWritable {
    let active: Bool
    var scope: String?
    var client_id: ID<Application>?
    /// Only access tokens have a type. A refresh token has no use at a resource server, and must not be mistaken for an access token.
    var token_type: String?
    var exp, iat: Int?
    /// The user, or the machine itself.
    var sub: String?
    var aud, iss, jti: String?
    var sid: ID<Session>?
    var tid: ID<Tenant>?
    /// The key that the token is bound to (RFC 9449, section 6.2).
    var key: KeyThumbprint?

    static let inactive = Introspection(active: false)

    func write(to json: inout JSONText) {
        json.object { json in
            json.member("active", active)
            json.member("scope", scope)
            json.member("client_id", client_id)
            json.member("token_type", token_type)
            json.member("exp", exp)
            json.member("iat", iat)
            json.member("sub", sub)
            json.member("aud", aud)
            json.member("iss", iss)
            json.member("jti", jti)
            json.member("sid", sid)
            json.member("tid", tid)
            json.member(confirmation: key)
        }
    }
}

extension TokenRoutes {
    /// The introspection endpoint (RFC 7662). It returns a token's claims and whether the token is valid now. Unlike a signature, it takes
    /// ended sessions and deleted users into account.
    ///
    /// A resource server (an application of kind `machine`) may inspect any access token of its tenant. A web application may inspect its
    /// own access tokens. Only its own application may inspect a refresh token.
    @Sendable
    func introspect(_ request: Request, _ context: WebContext) async throws -> Response {
        try await endpoints.reportingOutage(context) {
            try .json(try await introspection(request, context), headers: [.pragma: "no-cache"])
        }
    }

    private func introspection(_ request: Request, _ context: WebContext) async throws -> Introspection {
        guard let tenant = try await endpoints.tenant(context) else { throw Problem.notFound("tenant") }
        let form = try await endpoints.postedForm(request, context)
        let caller = try await endpoints.authenticate(request, form, tenant, context)
        // Section 2.1: without this check, anybody could try out tokens here.
        guard caller.kind.isConfidential else {
            throw OAuthError(.invalidClient, "Only an application with a secret may inspect tokens.")
        }
        guard let presented = form["token"] else { throw OAuthError(.invalidRequest, "token is missing.") }

        let now = endpoints.now()
        // The hint is not needed, because both kinds of token have different forms.
        if let token = RefreshToken(presented, of: tenant.tenant.id, with: endpoints.keyring) {
            return try await introspection(of: token, caller, tenant.tenant, at: now)
        }
        guard let (token, application) = try await tokens.accessToken(presented, tenant, at: now) else {
            return try await introspection(ofMachineToken: presented, caller, tenant, at: now)
        }
        guard caller.kind == .machine || caller.id == application.id,
            try await tokens.isPermitted(token, application, tenant.tenant),
            try await activeSession(token.sid, application, tenant.tenant, at: now) != nil
        else { return .inactive }
        return Introspection(
            active: true, scope: token.scope.flatMap(Scope.shown), client_id: token.client_id,
            token_type: AccessToken.Scheme(boundTo: token.key).rawValue,
            exp: token.exp, iat: token.iat, sub: token.sub.description, aud: token.aud, iss: token.iss, jti: token.jti, sid: token.sid,
            tid: token.tid, key: token.key)
    }

    private func introspection(
        ofMachineToken presented: String, _ caller: Application, _ tenant: TenantConfiguration, at now: Date
    ) async throws -> Introspection {
        guard let token = try await tokens.machineToken(presented, tenant, at: now), caller.kind == .machine || caller.id == token.client_id
        else { return .inactive }
        return Introspection(
            active: true, scope: token.scope, client_id: token.client_id, token_type: AccessToken.Scheme(boundTo: token.key).rawValue,
            exp: token.exp,
            iat: token.iat, sub: token.client_id.description, aud: token.aud, iss: token.iss, jti: token.jti, tid: token.tid,
            key: token.key)
    }

    private func introspection(
        of token: RefreshToken, _ caller: Application, _ tenant: Tenant, at now: Date
    ) async throws -> Introspection {
        guard let found = try await activeSession(token.session, caller, tenant, at: now), found.takes(token, at: now)
        else { return .inactive }
        return Introspection(
            active: true, scope: Scope.shown(found.session.scope), client_id: caller.id, exp: Int(found.until.timeIntervalSince1970),
            iat: Int(found.session.refreshedAt.timeIntervalSince1970), sub: found.session.user.description, iss: endpoints.issuer(tenant),
            sid: token.session,
            tid: tenant.id)
    }

    private func activeSession(
        _ session: ID<Session>, _ application: Application, _ tenant: Tenant, at now: Date
    ) async throws -> ActiveSession? {
        try await OwnerDatabase(pool, tenant: tenant.id).repeatable
            .run(ActiveSession.find(session, of: tenant.id, application, at: now)).first(ActiveSession.init)
    }
}

/// An active session whose user exists and was not signed out everywhere since it started.
private struct ActiveSession {
    let session: Session
    /// When the session ends if it is not used before.
    let until: Date

    init(_ row: Row) throws {
        session = try Session(row)
        until = try row.get("ends_at")
    }

    /// Whether the token endpoint accepts this refresh token. It accepts the current one and, for a moment, the previous one.
    func takes(_ token: RefreshToken, at now: Date) -> Bool {
        switch session.generation - token.generation {
        case 0: true
        case 1: now <= session.refreshedAt.addingTimeInterval(RefreshToken.grace)
        default: false
        }
    }

    static func find(_ id: ID<Session>, of tenant: ID<Tenant>, _ application: Application, at now: Date) -> SQL {
        """
        SELECT s.user_id, s.scope, s.refresh_generation, s.refreshed_at, s.expires_at, s.ended_at, s.authenticated_at, s.api_ids,
            s.dpop_jkt, s.host, \(part: Session.end(by: application)) AS ends_at
        \(part: Session.active(id, of: tenant, application, at: now))
        """
    }
}
