import Access
package import Hummingbird
import Postgres
import Sessions
package import SignIn
import Tenancy
package import Web

/// The endpoints of the device grant, for the device and for its user. `DeviceGrant` has the flow.
package struct DeviceRoutes: Sendable {
    let grant: DeviceGrant
    let signIn: SignInRoutes
    /// The wrong user codes of one network. So a single network cannot use up the limit of a tenant.
    let guessesOfNetwork = TokenBuckets<String>(perMinute: 10)
    /// The wrong user codes of all networks.
    let guessesOfTenant = TokenBuckets<ID<Tenant>>(perMinute: 120)
    var endpoints: TenantEndpoints { grant.endpoints }

    package init(grant: DeviceGrant, signIn: SignInRoutes) {
        (self.grant, self.signIn) = (grant, signIn)
    }

    package var routes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        routes.limited(.oauth, endpoints.limits)
            .on(.post, "t/{tenant}/oauth2/device_authorization", "authorizeDevice", use: authorizeDevice)
        let pages = routes.limited(.page, endpoints.limits)
        pages.on(.get, "t/{tenant}/device", "enterDeviceCode", use: enterDeviceCode)
        pages.on(.post, "t/{tenant}/device", "showDevice", use: showDevice)
        pages.on(.get, "t/{tenant}/device/sign-in", "signInForDevice", use: signInForDevice)
        pages.on(.get, "t/{tenant}/device/approval", "reviewDevice", use: reviewDevice)
        pages.on(.post, "t/{tenant}/device/approval", "approveDevice", use: approveDevice)
        pages.on(.post, "t/{tenant}/device/refusal", "refuseDevice", use: refuseDevice)
        return routes
    }
}
