import Crypto
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Web

/// The rendered pages of the application.
///
/// All text from a person, a token or a setting goes through `{{…}}`, which escapes it.
enum Pages {
    private struct TenantCard {
        var slug: String
        var name: String
        var issuer: String
        var isShared: Bool
        var usage: TenantUsageLine
    }

    /// A tenant's usage as a line of a page.
    private struct TenantUsageLine {
        var isKnown: Bool
        var logins: String
        var noun: String
        var since: String

        init(_ usage: TenantUsage?) {
            isKnown = usage != nil
            logins = usage.map { String($0.logins) } ?? "–"
            noun = usage?.logins == 1 ? "login" : "logins"
            since = usage.map { String($0.from.prefix(10)) } ?? ""
        }
    }

    private struct TokenPanel {
        var title: String
        var audience: String
        var abridged: String
        var claims: String?
    }

    private struct SessionPage {
        var tenant: String
        var initial: String
        var name: String
        var email: String
        var usage: TenantUsageLine
        var tokens: [TokenPanel]
        var refreshToken: String?
        var isRefreshed: Bool
        var refreshes: String
        var usedRefreshToken: String?
    }

    private struct RefusalPage {
        var title: String
        var explanation: String
    }

    private struct Frame {
        var title: String
        var policy: String
        var stylesheet: String
        var content: String
    }

    static func tenants(_ tenants: [(tenant: DemoApplication.Tenant, usage: TenantUsage?)]) -> Response {
        let cards = tenants.map { tenant, usage in
            TenantCard(
                slug: tenant.slug, name: tenant.name, issuer: tenant.issuer, isShared: tenant.connection == .shared,
                usage: TenantUsageLine(usage))
        }
        return page("Sign in", tenantsTemplate.render(["tenants": cards]))
    }

    static func session(_ login: Login, of tenant: DemoApplication.Tenant, usage: TenantUsage?) -> Response {
        let idToken = login.tokens.idToken.map { DecodedToken($0) }
        let accessToken = DecodedToken(login.tokens.accessToken)
        let page = SessionPage(
            tenant: tenant.name,
            initial: login.userInfo.name?.first.map { $0.uppercased() } ?? "?",
            name: login.userInfo.name ?? "No name shared",
            email: login.userInfo.email ?? "No email shared",
            usage: TenantUsageLine(usage),
            tokens: [
                TokenPanel(
                    title: "id_token", audience: "tells this application who signed in", abridged: idToken?.abridged ?? "",
                    claims: idToken?.claims),
                TokenPanel(
                    title: "access_token", audience: "gives access to the application’s own API", abridged: accessToken.abridged,
                    claims: accessToken.claims),
            ],
            refreshToken: login.tokens.refreshToken.map(DecodedToken.abridged),
            isRefreshed: login.refreshes > 0,
            refreshes: login.refreshes == 1 ? "once" : "\(login.refreshes) times",
            usedRefreshToken: login.usedRefreshToken)
        return self.page("Signed in", sessionTemplate.render(page), formsLeadTo: tenant.issuer)
    }

    static func refusal(title: String, explanation: String, status: HTTPResponse.Status) -> Response {
        page(title, refusalTemplate.render(RefusalPage(title: title, explanation: explanation)), status: status)
    }

    /// - Parameter provider: Another permitted target of forms. Browsers also apply this to the redirect of a sign-out.
    private static func page(
        _ title: String, _ content: String, status: HTTPResponse.Status = .ok, formsLeadTo provider: String? = nil
    ) -> Response {
        // No scripts, no other styles, and no frame around the page.
        let policy = PagePolicy(style: stylesheetSource, forms: provider.map { "'self' \(origin(of: $0))" } ?? "'self'")
        let html = frameTemplate.render(Frame(title: title, policy: policy.meta, stylesheet: Stylesheet.text, content: content))
        var headers: HTTPFields = [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"]
        headers[.contentSecurityPolicy] = policy.header
        headers[.xContentTypeOptions] = "nosniff"
        headers[.referrerPolicy] = "no-referrer"
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: html)))
    }

    private static func origin(of url: String) -> String {
        url.parts(at: "/", includingEmpty: true).prefix(3).joined(separator: "/")
    }

    private static let stylesheetSource = "'sha256-\(Data(SHA256.hash(data: Data(Stylesheet.text.utf8))).base64EncodedString())'"

    private static let frameTemplate = HTMLTemplate(PageTemplates.frame)
    private static let tenantsTemplate = HTMLTemplate(PageTemplates.tenants, partials: ["usage": PageTemplates.usage])
    private static let sessionTemplate = HTMLTemplate(PageTemplates.session, partials: ["usage": PageTemplates.usage])
    private static let refusalTemplate = HTMLTemplate(PageTemplates.refusal)
}
