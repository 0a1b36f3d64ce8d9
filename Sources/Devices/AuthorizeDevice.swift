import APIs
import Access
import Encoding
import Foundation
import HTTPTypes
package import Hummingbird
import Postgres
import Sessions
package import Tenancy
package import Web

/// The codes of a device (RFC 8628, section 3.2).
package struct DeviceCodes: Encodable, Sendable {
    let device_code, user_code, verification_uri, verification_uri_complete: String
    let expires_in, interval: Int
}

extension DeviceRoutes {
    /// The device authorization endpoint.
    @Sendable
    func authorizeDevice(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let tenant = try await endpoints.reportingOutage(context, { try await endpoints.tenant(context) }) else {
            throw Problem.notFound("tenant")
        }
        let form = try await endpoints.postedForm(request, context, repeatable: TokenTarget.resource)
        return try .json(
            try await grant.counted(.device, context) {
                let application = try await endpoints.authenticate(request, form, tenant, context)
                let apis = try await grant.tokens.apis(named: form, TokenTarget.resource, by: application, tenant.tenant)
                guard let scope = Scope.granted(for: form["scope"], apis: apis) else { throw OAuthError(.invalidScope, Scope.refusal) }
                guard scope.utf8.count <= Scope.longest
                else { throw OAuthError(.invalidScope, "The granted scope is longer than \(Scope.longest) bytes. Request fewer scopes.") }
                return try await grant.start(
                    .oauth, scope: scope, apis: apis.map(\.api.id), by: application, of: tenant, request, context)
            }, headers: [.pragma: "no-cache"])
    }
}

extension DeviceGrant {
    /// Starts the sign-in of a device of WorkOS's interface.
    package func startForAuthKit(
        by application: Application, of tenant: TenantConfiguration, _ request: Request, _ context: WebContext
    ) async throws -> DeviceCodes {
        try await counted(.device, context) {
            // Otherwise the user would approve a device that can never get its tokens.
            guard !application.requiresDPoP else {
                throw OAuthError(
                    .unauthorizedClient,
                    """
                    The application requires DPoP, and this interface does not offer it. Use the tenant's OAuth endpoints, or set \
                    requires_dpop to false.
                    """)
            }
            return try await start(.authKit, scope: Scope.all, apis: [], by: application, of: tenant, request, context)
        }
    }

    /// - Throws: `OAuthError` if the application may not use the grant, or if a limit is reached.
    func start(
        _ interface: DeviceCode.Interface, scope: String, apis: [ID<API>], by application: Application, of tenant: TenantConfiguration,
        _ request: Request, _ context: WebContext
    ) async throws -> DeviceCodes {
        let now = endpoints.now()
        guard application.allowsDeviceGrant else { throw Self.notAllowed }
        guard tenant.connection != nil, tenant.appleKey != nil
        else { throw OAuthError(.temporarilyUnavailable, "Sign in with Apple is not set up for this tenant yet.") }
        guard !tenant.refusesLogins(at: now) else {
            throw OAuthError(
                .temporarilyUnavailable, "The tenant's hard budget for this month is used up. Users who are signed in stay signed in.")
        }
        // Anyone knows the ID of a public application. The server of a confidential one has one address for all devices.
        let device = Device(request, context)
        let network = context.record.current.isAuthenticated ? nil : CallerNetwork.site(of: device.address)
        if let network, !starts.take(network, at: .now).isGranted { throw tooMany(context) }
        guard startsOfApplication.take(application.id, at: .now).isGranted else { throw tooMany(context) }

        let (id, database) = (ID<DeviceAuthorization>(at: now), OwnerDatabase(pool, tenant: tenant.tenant.id))
        func insert(_ code: UserCode) async throws -> Bool {
            try await !database.run(
                DeviceAuthorization.insert(
                    id, userCode: code.digest(with: endpoints.keyring), scope: scope, apis: apis, device, network: network,
                    of: application.id, tenant.tenant.id, at: now)
            ).isEmpty
        }
        var userCode = UserCode.random()
        let isInserted: Bool
        do { isInserted = try await insert(userCode) } catch let error as DatabaseError
            where error.constraint == DeviceAuthorization.isTaken
        {
            userCode = .random()
            isInserted = try await insert(userCode)
        }
        guard isInserted else { throw tooMany(context) }
        let page = "\(endpoints.openIssuer(tenant.tenant))/device"
        return DeviceCodes(
            device_code: DeviceCode(id).text(interface, of: application.id, tenant.tenant.id, with: endpoints.keyring),
            user_code: userCode.text, verification_uri: page, verification_uri_complete: "\(page)?user_code=\(userCode.text)",
            expires_in: Int(DeviceAuthorization.lifetime), interval: DeviceAuthorization.interval)
    }

    static let notAllowed = OAuthError(
        .unauthorizedClient, "The application does not allow the device grant. Set its allows_device_grant to true.")

    private func tooMany(_ context: WebContext) -> OAuthError {
        context.record.note(header: .retryAfter, "60")
        var error = OAuthError(
            .temporarilyUnavailable,
            """
            Too many devices have asked. Retry after 60 seconds. The limits per 10 minutes are \(DeviceAuthorization.mostOfNetwork) of one \
            address without a secret, and \(DeviceAuthorization.mostOfApplication) of an application.
            """)
        error.isRateLimited = true
        return error
    }
}
