import Foundation
import HTTPTypes
package import Hummingbird
import Tenancy
package import Web

/// Lets scripts of web pages read the endpoints that their libraries call (Fetch Standard, section 3.3, "CORS protocol"), and no other
/// endpoint. It never allows cookies.
///
/// Keys and discovery documents are public: every page may read them. Tokens and claims are for the pages of a tenant's applications
/// of kind `spa`.
///
/// It comes before the routes, so that a page can read a refusal: a library must tell `invalid_grant` from an outage. It answers
/// preflights itself. Any other OPTIONS gets 405, as everywhere.
package struct CrossOrigin: RouterMiddleware {
    package typealias Context = WebContext

    let directory: TenantDirectory
    let limits: RequestLimits

    /// An endpoint whose responses pages may read.
    struct Endpoint: Equatable {
        /// The tenant's slug.
        let tenant: String
        /// The methods that it takes, as `Access-Control-Allow-Methods` lists them.
        let methods: String
        /// Whether every page may read it.
        let isPublic: Bool
    }

    /// Below a tenant's issuer.
    private static let ofApplications = ["oauth2/token": "POST", "oauth2/userinfo": "GET, POST", "oauth2/revoke": "POST"]
    private static let documents: Set = ["openid-configuration", "oauth-authorization-server"]

    static func endpoint(at path: String) -> Endpoint? {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 4).map { String(Substring($0)) }
        guard parts.count == 4 else { return nil }
        if parts[0] == "t" {
            if let methods = ofApplications["\(parts[2])/\(parts[3])"] {
                return Endpoint(tenant: parts[1], methods: methods, isPublic: false)
            }
            guard (parts[2] == "oauth2" && parts[3] == "jwks") || (parts[2] == ".well-known" && documents.contains(parts[3]))
            else { return nil }
            return Endpoint(tenant: parts[1], methods: "GET", isPublic: true)
        }
        // In front of the issuer's path (RFC 8414, section 3).
        guard parts[0] == ".well-known", documents.contains(parts[1]), parts[2] == "t" else { return nil }
        return Endpoint(tenant: parts[3], methods: "GET", isPublic: true)
    }

    package func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        guard let endpoint = Self.endpoint(at: request.uri.path) else { return try await next(request, context) }
        if endpoint.isPublic {
            context.record.note(header: .accessControlAllowOrigin, "*")
        } else {
            // A preflight reaches no action, and neither does a wrong method.
            let method = request.method == .head ? "GET" : request.method.rawValue
            let isAction = endpoint.methods.components(separatedBy: ", ").contains(method)
            // For every caller: a cache must not give one origin what was said to another.
            context.record.note(header: .vary, "Origin")
            guard let origin = request.headers[.origin], await mayCall(from: origin, tenant: endpoint.tenant, isAction, context)
            else { return try await next(request, context) }
            context.record.note(header: .accessControlAllowOrigin, origin)
        }
        context.record.note(header: .accessControlExposeHeaders, "Request-Id, Retry-After, WWW-Authenticate")
        guard request.method == .options, request.headers[.accessControlRequestMethod] != nil else {
            return try await next(request, context)
        }
        context.record.note(tenant: endpoint.tenant)
        return Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: endpoint.methods,
                .accessControlAllowHeaders: "Authorization, Content-Type, Request-Id, traceparent", .accessControlMaxAge: "3600",
            ])
    }

    /// Where the tenant cannot be looked up, the action fails for the same reason, and says so. It also charges the caller for an
    /// unknown tenant. A request that reaches no action is charged here.
    private func mayCall(from origin: String, tenant slug: String, _ isAction: Bool, _ context: WebContext) async -> Bool {
        guard directory.isKnown(slug: slug) || limits.mayLookUp(from: context.record.current.address),
            let found = try? await directory.find(slug: slug)
        else {
            if !isAction { try? limits.charge(context.record) }
            return false
        }
        return found.tenant.status == .active && found.allows(origin: origin)
    }
}
