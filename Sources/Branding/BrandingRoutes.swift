package import Access
package import Foundation
package import Hummingbird
package import Postgres
import Sessions
package import Tenancy
package import Web

/// A tenant's look on the pages that its users see: name, color, links, language and logo.
///
/// `TenantConfiguration.brand` has the look in memory. Every change takes effect within 1 s, because a trigger on the row notifies each
/// process. A logo is made safe when it is set, and its URL contains a part of its SHA-256. So browsers and proxies may keep it.
package struct BrandingRoutes: Sendable {
    let pool: DatabasePool
    /// For the logo, which unauthenticated browsers load.
    let logins: DatabasePool
    let endpoints: TenantEndpoints
    let logos = LogoCache()
    /// Checks the images that are set.
    let checks = WorkThread()
    let publicURL: String
    let now: @Sendable () -> Date

    package init(pool: DatabasePool, logins: DatabasePool, endpoints: TenantEndpoints, now: @escaping @Sendable () -> Date) {
        (self.pool, self.logins, self.endpoints, self.now) = (pool, logins, endpoints, now)
        publicURL = endpoints.publicURL
    }

    /// The actions whose bodies may be larger than usual, with the number of bytes.
    package static let largestBodies = ["setLogo": Logo.largest]

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "branding", "getBranding", use: getBranding)
        routes.on(.patch, "branding", "updateBranding", use: updateBranding)
        routes.on(.put, "branding/logo", "setLogo", use: setLogo)
        routes.on(.delete, "branding/logo", "removeLogo", use: removeLogo)
        return routes
    }

    package var publicRoutes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        routes.limited(.problem, endpoints.limits).on(.get, "t/{tenant}/logo/{hash}", "getLogo", use: getLogo)
        return routes
    }

    func reply(_ branding: Branding, _ call: TenantContext) -> BrandingReply {
        BrandingReply(branding, slug: call.slug, publicURL: publicURL)
    }
}
