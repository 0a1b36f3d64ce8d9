import HTTPTypes
package import Hummingbird
import Tenancy
package import Web

/// Lets what runs in a browser at a tenant's single-page applications call the endpoints that their libraries need: discovery,
/// keys, tokens and claims (Fetch Standard, section 3.3, "CORS protocol"). Nobody else, nowhere else, and never with cookies.
///
/// It stands before the routes, so that a refusal can be read too: a library must tell `invalid_grant` from an outage. A preflight
/// is a question of the browser's, not an operation: it is answered here, and what is not one gets 405 as everywhere.
package struct CrossOrigin: RouterMiddleware {
    package typealias Context = WebContext

    let directory: TenantDirectory

    /// Below a tenant's issuer: the paths, and what they are called with.
    private static let methods = [
        "oauth2/token": "POST", "oauth2/userinfo": "GET, POST", "oauth2/jwks": "GET", ".well-known/openid-configuration": "GET",
        ".well-known/oauth-authorization-server": "GET",
    ]

    /// The tenant, and what may be called with.
    static func opened(_ path: String) -> (tenant: Substring, methods: String)? {
        let parts = path.parts(at: "/", atMost: 3)
        guard parts.count == 3 else { return nil }
        if parts[0].isSame(as: "t") { return methods[String(parts[2])].map { (parts[1], $0) } }
        // RFC 8414, section 3.
        guard parts[0].isSame(as: ".well-known"), parts[1].isSame(as: "oauth-authorization-server"), parts[2].begins(with: "t/")
        else { return nil }
        return (Substring(parts[2].utf8.dropFirst(2)), "GET")
    }

    package func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        guard let (tenant, methods) = Self.opened(request.uri.path) else { return try await next(request, context) }
        // For every caller: a cache must not give one origin what was said to another.
        context.record.note(header: .vary, "Origin")
        guard let origin = request.headers[.origin], await mayCall(from: origin, tenant: tenant) else {
            return try await next(request, context)
        }
        context.record.note(header: .accessControlAllowOrigin, origin)
        context.record.note(header: .accessControlExposeHeaders, "Request-Id, Retry-After, WWW-Authenticate")
        guard request.method == .options, request.headers[.accessControlRequestMethod] != nil else {
            return try await next(request, context)
        }
        context.record.note(action: "preflight", tenant: String(tenant))
        return Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: methods, .accessControlAllowHeaders: "Authorization, Content-Type, Request-Id, traceparent",
                .accessControlMaxAge: "3600",
            ])
    }

    /// Where the tenant cannot be looked up, the action fails for the same reason, and says so.
    private func mayCall(from origin: String, tenant slug: Substring) async -> Bool {
        guard let found = try? await directory.find(slug: slug), found.tenant.status == .active else { return false }
        return found.allows(origin: origin)
    }
}
