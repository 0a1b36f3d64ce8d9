import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport

/// A device that signs its user in, and the browser of the user. Both use only HTTP.
struct DeviceClient: Sendable {
    let platform: TestPlatform
    let browser: TestBrowser
    /// The request of the device to the token endpoint.
    var request: TestBrowser.Request

    /// - Parameter application: 0 is confidential, 1 public.
    /// - Parameter isAllowed: whether the application gets the setting for the grant.
    init(_ platform: TestPlatform, application: Int = 1, isAllowed: Bool = true, _ tenant: SeedResult.TenantResult? = nil) async throws {
        self.platform = platform
        browser = TestBrowser(platform)
        request = TestBrowser.Request(tenant ?? platform.acme, application: application)
        if isAllowed { try await allow(true) }
    }

    /// Changes the setting.
    func allow(_ isAllowed: Bool) async throws {
        let path = "/tenants/\(request.tenant.slug)/applications/\(request.application.client_id)"
        let changed = try await platform.call("PATCH", path, ["allows_device_grant": isAllowed])
        guard changed.status == 200 else { throw TestSimulator.Refused(description: "not allowed: \(changed.body)") }
        // Without a wait for the notification.
        platform.installation.directory.forget(ID<Tenant>(request.tenant.id)!.uuid)
    }

    static let grantType = "urn:ietf:params:oauth:grant-type:device_code"
    static let userAgent = "TV/1.0"

    /// The codes of a device.
    struct Codes: Sendable {
        let device, user: String
    }

    /// Calls the device authorization endpoint.
    func start(_ form: [(String, String)] = [], headers: [(String, String)] = []) async throws -> TestBrowser.Answer {
        let agent = headers.contains { $0.0 == "User-Agent" } ? [] : [("User-Agent", Self.userAgent)]
        var form = form + [("client_id", request.application.client_id)]
        if let secret = request.application.client_secret { form.append(("client_secret", secret)) }
        return try await TestBrowser(platform).post(
            "\(request.tenant.issuer)/oauth2/device_authorization", form: form, headers: headers + agent)
    }

    func codes(_ form: [(String, String)] = [], headers: [(String, String)] = []) async throws -> Codes {
        let answer = try await start(form, headers: headers)
        guard let device = answer.string("device_code"), let user = answer.string("user_code") else {
            throw TestSimulator.Refused(description: "no codes: \(answer.status) \(answer.body)")
        }
        return Codes(device: device, user: user)
    }

    /// Asks for the tokens.
    func poll(_ code: String, _ form: [(String, String)] = [], at address: String? = nil) async throws -> TestBrowser.Answer {
        let browser = address.map { TestBrowser(publicURL: TestPlatform.publicURL, address: $0) } ?? TestBrowser(platform)
        return try await browser.token(request, [("grant_type", Self.grantType), ("device_code", code)] + form)
    }

    /// Asks again after the interval, without waiting: the last poll becomes older.
    func pollLater(_ code: String, _ form: [(String, String)] = []) async throws -> TestBrowser.Answer {
        _ = try await platform.ownerPool.run("UPDATE device_authorization SET polled_at = polled_at - interval '10 minutes'")
        return try await poll(code, form)
    }

    // MARK: The user's browser

    var page: String { "\(request.tenant.issuer)/device" }
    /// The headers of a form of the server's own pages.
    static let own = [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Dest", "document"), ("Origin", TestPlatform.publicURL)]

    /// Types the user code: the page that shows the device.
    func show(_ userCode: String, headers: [(String, String)] = own, _ user: TestBrowser? = nil) async throws -> TestBrowser.Answer {
        try await (user ?? browser).post(page, form: [("user_code", userCode)], headers: headers)
    }

    /// Signs in with Apple from the page that shows the device: the page for the decision.
    func signIn(_ shown: TestBrowser.Answer, person: String = "new", _ user: TestBrowser? = nil) async throws -> TestBrowser.Answer {
        let user = user ?? browser
        let toApple = try await user.get(TestPlatform.publicURL + (shown.link ?? ""))
        let back = try await user.callback(try await user.atApple(toApple, person: person))
        guard let location = back.location else { throw TestSimulator.Refused(description: "no page: \(back.status) \(back.body)") }
        return try await user.get(location)
    }

    /// Presses a button of a page.
    func press(
        _ path: String, on shown: TestBrowser.Answer, headers: [(String, String)] = own, _ user: TestBrowser? = nil
    ) async throws -> TestBrowser.Answer {
        guard let form = shown.form(path) else { throw TestSimulator.Refused(description: "no form: \(shown.status) \(shown.body)") }
        return try await (user ?? browser).post(TestPlatform.publicURL + form.action, form: form.fields, headers: headers)
    }

    /// All steps of the user, up to the approval.
    func approve(_ codes: Codes, person: String = "new") async throws {
        let answer = try await press("approval", on: try await signIn(try await show(codes.user), person: person))
        guard answer.status == 200 else { throw TestSimulator.Refused(description: "not approved: \(answer.status) \(answer.body)") }
    }

    /// A complete sign-in.
    func tokens(person: String = "new") async throws -> TestBrowser.Answer {
        let codes = try await codes()
        try await approve(codes, person: person)
        return try await poll(codes.device)
    }
}

extension TestBrowser.Answer {
    /// The link to the sign-in with Apple.
    var link: String? {
        body.firstMatch(of: /href="([^"]*\/device\/sign-in[^"]*)"/).map { String($0.1).replacing("&amp;", with: "&") }
    }

    /// The form of a page that posts to this action.
    func form(_ name: String) -> TestBrowser.AppleForm? {
        body.components(separatedBy: "<form").dropFirst().lazy.map { "<form" + ($0.components(separatedBy: "</form>").first ?? "") }
            .compactMap { TestBrowser.AppleForm(html: $0) }.first { $0.action.hasSuffix("/device/\(name)") }
    }

    /// Whether it is a page of the device grant with its policy: no script, no frame, and forms only to this server.
    func isDevicePage(_ status: Int) -> Bool {
        self.status == status && header("Content-Type") == "text/html; charset=utf-8" && header("Cache-Control") == "no-store"
            && header("Referrer-Policy") == "same-origin" && header("X-Frame-Options") == nil
            && header("Content-Security-Policy")?.contains("default-src 'none'") == true
            && header("Content-Security-Policy")?.contains("form-action 'self'; frame-ancestors 'none'") == true
            && !body.contains("<script")
    }
}
