import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird

/// The addresses of the application, and the shared parts of its actions.
///
/// A sign-in goes `/login/acme` → Espalier → Apple → Espalier → `/callback/acme` → `/session`. The browser's session stores the data
/// needed in between, under the `state` of the request.
struct DemoRoutes: Sendable {
    let publicURL: String
    let baseURL: String
    let tenants: [DemoApplication.Tenant]
    let documentation: Documentation
    let sessions: BrowserSessions
    let client: HTTPClient

    var router: Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: RefusalPages())
        router.get("/", use: showTenants)
        router.get("/login/{slug}", use: startLogin)
        router.get("/callback/{slug}", use: finishLogin)
        router.get("/session", use: showSession)
        router.post("/session/refresh", use: refreshTokens)
        router.post("/session/sign-out", use: signOut)
        router.get("/docs", use: showDocumentation)
        router.get("/docs/**", use: showDocumentation)
        router.get("/openapi.yaml", use: showSpecification)
        return router
    }

    /// Returns the tenant in the path.
    func tenant(_ context: BasicRequestContext) throws -> DemoApplication.Tenant {
        let slug = try context.parameters.require("slug")
        guard let tenant = tenants.first(where: { $0.slug == slug }) else { throw Refusal.unknownPage }
        return tenant
    }

    /// The OpenID provider of a tenant.
    func provider(of tenant: DemoApplication.Tenant) -> OpenIDProvider {
        OpenIDProvider(
            issuer: tenant.issuer, clientID: tenant.clientID, clientSecret: tenant.clientSecret,
            redirectURI: DemoApplication.redirectURI(publicURL: publicURL, slug: tenant.slug), client: client)
    }

    /// The cookie that names the browser's session.
    ///
    /// Lax, so that the browser sends it when Espalier redirects here, and not when another site posts a form here.
    func cookie(naming session: BrowserSessions.ID) -> Cookie {
        Cookie(
            name: Self.cookieName, value: session.text, path: "/", secure: publicURL.hasPrefix("https:"), httpOnly: true, sameSite: .lax)
    }

    /// Returns the browser's session ID from its cookie, unchecked.
    func sessionID(_ request: Request) -> BrowserSessions.ID? {
        for field in request.headers[values: .cookie] {
            // By byte, because the framework's own parser reads U+0600 and the following semicolon as one character.
            for pair in field.utf8.split(separator: UInt8(ascii: ";")) {
                let pair = pair.drop { $0 == UInt8(ascii: " ") }
                guard pair.starts(with: "\(Self.cookieName)=".utf8) else { continue }
                return BrowserSessions.ID(text: String(Substring(pair.dropFirst(Self.cookieName.utf8.count + 1))))
            }
        }
        return nil
    }

    /// Cookies are not separated by port. The name distinguishes it from the service's cookies, which are on the same
    /// host in development.
    private static let cookieName = "espalier_demo"
}
