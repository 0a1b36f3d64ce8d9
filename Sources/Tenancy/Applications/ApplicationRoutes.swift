package import Hummingbird
import Web

extension TenancyRoutes {
    /// A tenant's software and its secrets.
    ///
    /// An application is registered with a kind that it keeps; whether its fields go with the kind and with one another is one set
    /// of rules for registration and change (`ApplicationRules`). A confidential one gets a secret, which is rolled with an overlap,
    /// so that two can serve at once. Every change is in effect within a second: the rows' triggers tell each process.
    ///
    /// Below `/v1/tenants/{tenant}`.
    package var applicationRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.post, "applications", "registerApplication", use: registerApplication)
        routes.on(.get, "applications", "listApplications", use: listApplications)
        routes.on(.get, "applications/{application}", "getApplication", use: getApplication)
        routes.on(.patch, "applications/{application}", "updateApplication", use: updateApplication)
        routes.on(.delete, "applications/{application}", "deleteApplication", use: deleteApplication)
        routes.on(.get, "applications/{application}/secrets", "listApplicationSecrets", use: listApplicationSecrets)
        routes.on(.post, "applications/{application}/secrets/roll", "rollApplicationSecret", use: rollApplicationSecret)
        routes.on(.delete, "applications/{application}/secrets/{secret}", "revokeApplicationSecret", use: revokeApplicationSecret)
        return routes
    }
}
