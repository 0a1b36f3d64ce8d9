package import Access
import Encoding
import Foundation
import HTTPTypes
package import Hummingbird
package import Tenancy
package import Web

/// Lets scripts of web pages read the endpoints that their libraries call (Fetch Standard, section 3.3, "CORS protocol"), and no other
/// endpoint. It never allows cookies.
///
/// Keys and discovery documents are public, so every page may read them. Only pages of a tenant's applications of kind `spa` may read
/// tokens and claims.
///
/// It runs before the routes, so that a page can read a refusal. A library must distinguish `invalid_grant` from an outage. It responds to
/// preflights itself. Any other OPTIONS gets 405, as everywhere.
package struct CrossOrigin: RouterMiddleware {
    package typealias Context = WebContext

    let directory: TenantDirectory
    let limits: RequestLimits

    package init(directory: TenantDirectory, limits: RequestLimits) {
        (self.directory, self.limits) = (directory, limits)
    }

    /// An endpoint whose responses pages may read.
    struct Endpoint: Equatable {
        /// The tenant's slug.
        let tenant: String
        /// The methods that the endpoint accepts.
        let methods: [HTTPRequest.Method]
        /// Whether every page may read it.
        let isPublic: Bool
    }

    /// The endpoints below `oauth2` of a tenant's issuer.
    private static let ofApplications: [(name: String, methods: [HTTPRequest.Method])] = [
        ("token", [.post]), ("par", [.post]), ("userinfo", [.get, .post]), ("revoke", [.post]),
    ]
    private static let documents = ["openid-configuration", "oauth-authorization-server"]

    /// The endpoint at a path, or nil. Every request is checked, so only paths that may be endpoints are split.
    static func endpoint(at path: String) -> Endpoint? {
        let isBelowIssuer = path.begins(with: "/t/")
        guard isBelowIssuer || path.begins(with: "/.well-known/") else { return nil }
        let parts = path.parts(at: "/", atMost: 5)
        guard parts.count == 4 else { return nil }
        func isDocument(_ part: Substring) -> Bool { documents.has(part) }
        guard isBelowIssuer else {
            // The well-known part precedes the issuer's path (RFC 8414, section 3).
            guard isDocument(parts[1]), parts[2].isSame(as: "t") else { return nil }
            return Endpoint(tenant: String(parts[3]), methods: [.get], isPublic: true)
        }
        let tenant = { String(parts[1]) }
        if parts[2].isSame(as: ".well-known") {
            return isDocument(parts[3]) ? Endpoint(tenant: tenant(), methods: [.get], isPublic: true) : nil
        }
        guard parts[2].isSame(as: "oauth2") else { return nil }
        if parts[3].isSame(as: "jwks") { return Endpoint(tenant: tenant(), methods: [.get], isPublic: true) }
        return ofApplications.first { parts[3].isSame(as: $0.name) }
            .map { Endpoint(tenant: tenant(), methods: $0.methods, isPublic: false) }
    }

    package func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        let path = context.ownHost?.path(ofRouteFor: request.uri.path) ?? request.uri.path
        guard let endpoint = Self.endpoint(at: path) else { return try await next(request, context) }
        if endpoint.isPublic {
            context.record.note(header: .accessControlAllowOrigin, "*")
        } else {
            // The header is in every response, because a cache must not serve one origin's response to another origin.
            context.record.note(header: .vary, "Origin")
            guard let origin = request.headers[.origin] else { return try await next(request, context) }
            // A preflight or a wrong method reaches no action.
            let isAction = endpoint.methods.contains(request.method == .head ? .get : request.method)
            guard try await mayCall(from: origin, tenant: endpoint.tenant, isAction, context)
            else { return try await next(request, context) }
            context.record.note(header: .accessControlAllowOrigin, origin)
        }
        context.record.note(header: .accessControlExposeHeaders, "DPoP-Nonce, Request-Id, Retry-After, WWW-Authenticate")
        guard request.method == .options, request.headers[.accessControlRequestMethod] != nil else {
            return try await next(request, context)
        }
        context.record.note(tenant: endpoint.tenant)
        return Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: endpoint.methods.map(\.rawValue).joined(separator: ", "),
                .accessControlAllowHeaders: "Authorization, Content-Type, DPoP, Request-Id, traceparent", .accessControlMaxAge: "3600",
            ])
    }

    /// Whether the origin may call the endpoint. If the tenant lookup fails, the action fails for the same reason and reports it. The
    /// action also charges the caller for an unknown tenant. A request that reaches no action is charged and refused here.
    private func mayCall(from origin: String, tenant slug: String, _ isAction: Bool, _ context: WebContext) async throws -> Bool {
        let find = { () async throws -> TenantConfiguration? in try await directory.find(slug: slug) }
        do {
            let found = try await directory.isKnown(slug: slug) ? find() : limits.lookUp(slug, context.record, find)
            if let found { return found.tenant.status == .active && found.allows(origin: origin) }
            if !isAction { try limits.charge(context.record) }
            return false
        } catch {
            if isAction { return false }
            throw error is TooManyRequests ? Problem.tooManyFailures : error
        }
    }
}
