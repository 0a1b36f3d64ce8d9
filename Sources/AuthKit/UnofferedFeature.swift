import Encoding
package import HTTPTypes
package import Hummingbird
import Web

/// The refusal of a feature of WorkOS that Espalier does not have. It names the feature, so that a developer does not search for a wrong
/// URL.
package struct UnofferedFeature: Error, Sendable {
    private let feature: String

    /// The start of each path, and the feature in words. The first match counts.
    private static let features: [(path: String, feature: String)] = [
        ("/user_management/password_reset", "Passwords"),
        ("/user_management/magic_auth", "Magic Auth"),
        ("/user_management/email_verification", "Email verification by code"),
        ("/user_management/invitations", "Invitations"),
        ("/user_management/cors_origins", "CORS origins"),
        ("/user_management/jwt_template", "JWT templates"),
        ("/user_management/radar_challenges", "Radar"),
        ("/user_management/waitlist", "Waitlists"),
        ("/user_management/authkit_oauth_resources", "OAuth resources of this interface"),
        ("/user_management/", "This operation of User Management"),
        ("/auth/factors", "Multi-factor authentication"), ("/auth/challenges", "Multi-factor authentication"),
        ("/sso/", "Single sign-on through SSO connections"),
        ("/connections", "Single sign-on through SSO connections"),
        ("/directories", "Directory sync"), ("/directory_groups", "Directory sync"), ("/directory_users", "Directory sync"),
        ("/organization_domains", "Domain verification"),
        ("/organizations", "This operation of organizations"),
        ("/portal", "The Admin Portal"),
        ("/authorization", "Fine-grained authorization"), ("/fga", "Fine-grained authorization"),
        ("/audit_logs", "WorkOS's audit logs"),
        ("/feature-flags", "Feature flags"),
        ("/vault", "The vault"), ("/radar", "Radar"), ("/widgets", "Widgets"), ("/pipes", "Pipes"), ("/data-integrations", "Pipes"),
        ("/events", "This operation of events"), ("/webhook_endpoints", "This operation of webhook endpoints"),
        ("/api_keys/", "This operation of API keys"),
        ("/client/", "Client tokens"), ("/platform/", "The platform API"), ("/authkit/", "This operation of AuthKit"),
        ("/connect", "Connect"), ("/passwordless", "Magic links"), ("/groups", "Groups"), ("/agents", "Agents"),
    ]

    /// Nil for a path that no feature of WorkOS has.
    package init?(path: String) {
        guard let found = Self.features.first(where: { path.begins(with: $0.path) }) else { return nil }
        feature = found.feature
    }
}

extension UnofferedFeature: HTTPResponseError {
    package var status: HTTPResponse.Status { .notFound }

    package func response(from request: Request, context: some RequestContext) throws -> Response {
        let record = (context as? any RecordedContext)?.record
        var error = WorkOSError(
            status: status, code: "feature_not_offered",
            message: "\(feature) is not offered by Espalier. Its documentation lists the offered operations: Moving from WorkOS.")
        error.headers[.xRequestID] = record?.current.requestID
        return try error.response(from: request, context: context)
    }
}
