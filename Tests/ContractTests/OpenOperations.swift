import Crypto
import Encoding
import Foundation
import Postgres
import Server
import TestSupport

/// The operations without an API key, in the order of a login, and what comes after it.
struct OpenOperations: Sendable {
    let platform: TestPlatform
    private let browser: TestBrowser
    /// Receives the mails of the platform.
    let mails: TestMailServer

    init(_ platform: TestPlatform, _ mails: TestMailServer) {
        (self.platform, browser, self.mails) = (platform, TestBrowser(platform), mails)
    }

    /// Returns a response of each operation, with its operation ID.
    func answers() async throws -> [(String, TestBrowser.Answer)] {
        try await documents() + login() + sharedLogin() + otherAuthorizations() + devices() + authKit() + ends() + mushu()
            + mushuProviders() + registration() + branding() + identities() + consents() + names() + people()
            + providers() + account() + terminals()
    }

    private func documents() async throws -> [(String, TestBrowser.Answer)] {
        let (issuer, root) = (platform.acme.issuer, TestPlatform.publicURL)
        var answers: [(String, TestBrowser.Answer)] = []
        for (id, url) in [
            ("openIDConfiguration", "\(issuer)/.well-known/openid-configuration"),
            ("authorizationServerMetadata", "\(issuer)/.well-known/oauth-authorization-server"),
            ("openIDConfigurationAtRoot", "\(root)/.well-known/openid-configuration/t/acme"),
            ("authorizationServerMetadataAtRoot", "\(root)/.well-known/oauth-authorization-server/t/acme"),
            ("jwks", "\(issuer)/oauth2/jwks"), ("getFavicon", "\(root)/favicon.ico"), ("getPricingPage", "\(root)/pricing"),
            ("getSecurityContact", "\(root)/.well-known/security.txt"),
            ("askForCertificate", "\(root)/certificates/ask?domain=login.test"), ("getButtonSVG", "\(root)/button.svg"),
            ("getButtonPNG", "\(root)/button.png"),
        ] { answers.append((id, try await browser.get(url))) }
        return answers
    }

    /// A login through Acme's own connection, and the user's data.
    private func login() async throws -> [(String, TestBrowser.Answer)] {
        let request = TestBrowser.Request(platform.acme)
        let toApple = try await browser.authorize(request)
        let back = try await browser.callback(try await browser.atApple(toApple, person: "new"))
        let token = try await browser.redeem(back["code"] ?? "", request)
        let (url, bearer) = ("\(platform.acme.issuer)/oauth2/userinfo", [Self.bearer(token)])
        return [
            ("authorize", toApple), ("appleCallback", back), ("token", token),
            ("userInfo", try await browser.get(url, headers: bearer)),
            ("userInfoByPost", try await browser.post(url, form: [], headers: bearer)),
        ]
    }

    private func sharedLogin() async throws -> [(String, TestBrowser.Answer)] {
        [("sharedAppleCallback", try await browser.signIn(.init(platform.globex)))]
    }

    private func otherAuthorizations() async throws -> [(String, TestBrowser.Answer)] {
        let parameters = TestBrowser.Request(platform.acme).parameters
        let byClient = TestBrowser.Request.url("\(TestPlatform.publicURL)/auth/apple/authorize", parameters)
        return [
            ("authorizeByPost", try await browser.post("\(platform.acme.issuer)/oauth2/authorize", form: parameters)),
            ("authorizeByClient", try await browser.get(byClient)),
            (
                "pushAuthorizationRequest",
                try await browser.post(
                    "\(platform.acme.issuer)/oauth2/par",
                    form: parameters + [("client_secret", platform.acme.applications[0].client_secret ?? "")])
            ),
        ]
    }

    /// A sign-in on a device, and one that its user refuses.
    private func devices() async throws -> [(String, TestBrowser.Answer)] {
        let (request, issuer) = (TestBrowser.Request(platform.acme), platform.acme.issuer)
        let (application, page) = (request.application, "\(issuer)/device")
        let client = [("client_id", application.client_id), ("client_secret", application.client_secret ?? "")]
        _ = try await platform.call("PATCH", "/tenants/acme/applications/\(application.client_id)", ["allows_device_grant": true])
        func start() async throws -> TestBrowser.Answer { try await browser.post("\(issuer)/oauth2/device_authorization", form: client) }
        let codes = try await eventually("the server knows the setting") { () async throws -> TestBrowser.Answer? in
            let answer = try await start()
            return answer.status == 200 ? answer : nil
        }
        func show(_ codes: TestBrowser.Answer) async throws -> TestBrowser.Answer {
            try await browser.post(page, form: [("user_code", codes.string("user_code") ?? "")])
        }
        func field(_ name: String, of page: TestBrowser.Answer) -> String {
            page.body.matches(of: /name="([a-z]+)" value="([^"]*)"/).first { $0.1 == name }.map { String($0.2) } ?? ""
        }
        let shown = try await show(codes)
        let ticket = field("ticket", of: shown)
        let toApple = try await browser.get("\(page)/sign-in?ticket=\(ticket)")
        let back = try await browser.callback(try await browser.atApple(toApple, person: "new"))
        let review = try await browser.get(back.location ?? "")
        let approved = try await browser.post("\(page)/approval", form: [("ticket", ticket), ("login", field("login", of: review))])
        let tokens = try await browser.token(
            request,
            [
                ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", codes.string("device_code") ?? ""),
            ])
        let other = try await show(try await start())
        return [
            ("authorizeDevice", codes), ("enterDeviceCode", try await browser.get(page)), ("showDevice", shown),
            ("signInForDevice", toApple), ("reviewDevice", review), ("approveDevice", approved), ("token", tokens),
            ("refuseDevice", try await browser.post("\(page)/refusal", form: [("ticket", field("ticket", of: other))])),
        ]
    }

    /// The logins of a terminal with and without a browser, and those that the person refuses.
    private func terminals() async throws -> [(String, TestBrowser.Answer)] {
        let (person, program) = (try await TerminalPerson(platform), TerminalPerson.Program())
        let asked = try await person.authorize(program.query)
        let review = try await person.browser.get("\(TerminalPerson.issuer)/oauth2/approval")
        let refused = try await person.press("/account/oauth2/refusal", of: review)
        let approved = try await person.press("/account/oauth2/approval", of: try await person.review(program))
        let token = try await person.redeem(approved["code"] ?? "", program)
        let revoked = try await person.terminal.post(
            "\(TerminalPerson.issuer)/oauth2/revoke",
            form: [("client_id", "espalierctl"), ("token", token.string("access_token") ?? "")])
        let (codes, other) = (try await person.start(), try await person.start())
        let shown = try await person.show(codes.string("user_code") ?? "")
        return [
            ("terminalMetadata", try await browser.get("\(TerminalPerson.issuer)/.well-known/oauth-authorization-server")),
            (
                "terminalMetadataAtRoot",
                try await browser.get("\(TestPlatform.publicURL)/.well-known/oauth-authorization-server/account")
            ),
            ("authorizeTerminal", asked), ("reviewTerminal", review), ("approveTerminal", approved), ("refuseTerminal", refused),
            ("terminalToken", token), ("revokeTerminal", revoked), ("authorizeTerminalDevice", codes),
            ("enterTerminalCode", try await person.browser.get("\(TerminalPerson.issuer)/device")), ("showTerminalDevice", shown),
            ("approveTerminalDevice", try await person.press("/account/device/approval", of: shown)),
            (
                "refuseTerminalDevice",
                try await person.press("/account/device/refusal", of: try await person.show(other.string("user_code") ?? ""))
            ),
        ]
    }

    /// Two Apple Accounts with the address of a user, and two more that the user adds or refuses.
    private func identities() async throws -> [(String, TestBrowser.Answer)] {
        let address = platform.address("both")
        var people: [String] = []
        for name in ["First Owner", "Second Owner", "Third Owner", "Mailed Owner"] {
            people.append(try await platform.makePerson(name, email: address))
        }
        people.append(try await platform.makePerson("Fourth Owner"))
        let owner = try await platform.login(people[0])
        let (browser, request) = (TestBrowser(platform), owner.request)
        let toApple = try await browser.press(try await browser.signIn(request, person: people[1]))
        _ = try await browser.callback(try await browser.atApple(toApple, person: people[0]))
        let mailed = try await browser.press(try await browser.signIn(request, person: people[3]), "/mail")
        let shown = try await browser.get(try await eventually("the mail arrives") { mails.mails.first }.link)
        let proven = try await browser.press(shown)
        let separate = try await browser.press(try await browser.signIn(request, person: people[2]), "/separate")

        let (base, bearer) = ("\(platform.acme.issuer)/users/me/identities", [("Authorization", "Bearer \(owner.access)")])
        func ask() async throws -> TestBrowser.Answer {
            try await browser.send(
                "POST", base, headers: bearer + [("Content-Type", "application/json")],
                body: #"{"redirect_uri": "\#(TestPlatform.redirectURI)"}"#)
        }
        let asked = try await ask()
        func page(_ asked: TestBrowser.Answer) async throws -> (toApple: TestBrowser.Answer, page: TestBrowser.Answer) {
            let toApple = try await browser.get(asked.string("url") ?? "")
            return (toApple, try await browser.callback(try await browser.atApple(toApple, person: people[4])))
        }
        let first = try await page(asked)
        let refused = try await browser.press(first.page, "/refusal")
        let confirmed = try await browser.press(try await page(try await ask()).page)
        let completed = try await browser.send(
            "POST", "\(base)/completion", headers: bearer + [("Content-Type", "application/json")],
            body: #"{"result": "\#(confirmed["result"] ?? "")"}"#)
        let id = completed.string("id") ?? ""
        return [
            ("signInToLink", toApple), ("mailLinkProof", mailed), ("showLinkProof", shown), ("redeemLinkProof", proven),
            ("createSeparateUser", separate), ("addOwnIdentity", asked), ("signInForIdentity", first.toApple),
            ("appleCallback", first.page), ("refuseIdentity", refused), ("confirmIdentity", confirmed),
            ("completeOwnIdentity", completed),
            ("listOwnIdentities", try await browser.get(base, headers: bearer)),
            ("removeOwnIdentity", try await browser.send("DELETE", "\(base)/\(id)", headers: bearer, body: nil)),
        ]
    }

    /// The decisions about an application of a third party, in a browser with a sign-in.
    private func consents() async throws -> [(String, TestBrowser.Answer)] {
        let browser = TestBrowser(platform)
        var request = TestBrowser.Request(platform.acme)
        _ = try await browser.tokens(request)
        _ = try await platform.call("PATCH", "/tenants/acme", ["single_sign_on": true])
        _ = try await platform.call("PATCH", "/tenants/acme/applications/\(request.application.client_id)", ["is_third_party": true])
        request.application = platform.acme.applications[1]
        try await eventually("the server knows the settings") {
            _ = try await browser.signIn(request)
            return !browser.cookies.isEmpty
        }
        request.application = platform.acme.applications[0]
        func decide(_ path: String, _ changes: [String: String?] = [:]) async throws -> TestBrowser.Answer {
            let form = try await eventually("the page asks") { () async throws -> TestBrowser.AppleForm? in
                TestBrowser.AppleForm(html: try await browser.get(request.authorizeURL(changing: changes)).body)
            }
            return try await browser.post(TestPlatform.publicURL + form.action + path, form: form.fields)
        }
        return [
            // The error is in the form.
            ("refuseConsent", try await decide("/refusal", ["response_mode": "form_post"])),
            ("signInForConsent", try await decide("/sign-in")), ("giveConsent", try await decide("")),
        ]
    }

    /// The answers to the page that asks for a name.
    private func names() async throws -> [(String, TestBrowser.Answer)] {
        let request = TestBrowser.Request(platform.globex)
        _ = try await platform.call("PATCH", "/tenants/globex/applications/\(request.application.client_id)", ["requires_name": true])
        func answer(_ path: String, _ changes: [String: String?] = [:]) async throws -> TestBrowser.Answer {
            let browser = TestBrowser(platform)
            var form = try await eventually("the page asks") { () async throws -> TestBrowser.AppleForm? in
                let toApple = try await browser.get(request.authorizeURL(changing: changes))
                var form = try await browser.atApple(toApple, person: "new")
                form["user"] = nil
                let page = try await browser.callback(form)
                return page.location == nil && page.body.contains("given_name") ? TestBrowser.AppleForm(html: page.body) : nil
            }
            form["given_name"] = "Ada"
            return try await browser.post(TestPlatform.publicURL + form.action.replacing("?", with: path + "?"), form: form.fields)
        }
        return [
            // The error is in the form.
            ("refuseName", try await answer("/refusal", ["response_mode": "form_post", "ui_locales": "en"])),
            ("signInForName", try await answer("/sign-in", ["ui_locales": "en"])), ("giveName", try await answer("", ["ui_locales": "en"])),
        ]
    }

    /// A login of an AuthKit application.
    private func authKit() async throws -> [(String, TestBrowser.Answer)] {
        let (root, request) = ("\(TestPlatform.publicURL)/user_management", TestBrowser.Request(platform.acme))
        let toApple = try await browser.get(
            TestBrowser.Request.url("\(root)/authorize", request.parameters.filter { $0.0 != "scope" } + [("provider", "authkit")]))
        let code = try await browser.callback(try await browser.atApple(toApple, person: "new"))["code"] ?? ""
        let client = [("client_id", request.application.client_id), ("client_secret", request.application.client_secret ?? "")]
        let session = try await browser.post(
            "\(root)/authenticate",
            form: client + [("grant_type", "authorization_code"), ("code", code), ("code_verifier", request.verifier)])
        let id = try claims(of: session.json["access_token"] as? String)["sid"] as? String ?? ""
        return [
            ("authKitAuthorize", toApple), ("authKitAuthenticate", session),
            ("authKitAuthorizeDevice", try await browser.post("\(root)/authorize/device", form: client)),
            ("authKitJWKS", try await browser.get("\(TestPlatform.publicURL)/sso/jwks/\(request.application.client_id)")),
            ("authKitLogout", try await browser.get(TestBrowser.Request.url("\(root)/sessions/logout", [("session_id", id)]))),
        ]
    }

    /// Everything that reads or ends a login, and Apple's notifications.
    private func ends() async throws -> [(String, TestBrowser.Answer)] {
        let (request, issuer) = (TestBrowser.Request(platform.acme), platform.acme.issuer)
        let application = request.application
        let client = [("client_id", application.client_id), ("client_secret", application.client_secret ?? "")]
        let basic = Data("\(application.client_id):\(application.client_secret ?? "")".utf8).base64EncodedString()
        let (first, second) = (try await login(request), try await login(request))
        let (hint, token) = (first.json["id_token"] as? String ?? "", second.json["access_token"] as? String ?? "")
        return [
            ("introspect", try await browser.post("\(issuer)/oauth2/introspect", form: client + [("token", token)])),
            ("listRevocations", try await browser.get("\(issuer)/revocations", headers: [("Authorization", "Basic \(basic)")])),
            ("logout", try await browser.get(TestBrowser.Request.url("\(issuer)/oauth2/logout", [("id_token_hint", hint)]))),
            ("logoutByPost", try await browser.post("\(issuer)/oauth2/logout", form: [("id_token_hint", hint)])),
            ("confirmLogout", try await browser.post("\(issuer)/oauth2/logout/confirmation", form: [("ticket", "x")])),
            ("receiveNotification", try await notify("\(issuer)/auth/apple/notifications", platform.own)),
            ("receiveSharedNotification", try await notify("\(TestPlatform.publicURL)/auth/apple/notifications", platform.shared)),
            ("deleteOwnUser", try await browser.send("DELETE", "\(issuer)/users/me", headers: [Self.bearer(second)], body: nil)),
            ("revokeToken", try await browser.post("\(issuer)/oauth2/revoke", form: client + [("token", token)])),
        ]
    }

    /// The interface of Mushu, for Acme's native application.
    private func mushu() async throws -> [(String, TestBrowser.Answer)] {
        let phone = try await Phone.make(platform)
        let (client, json) = (phone.application.client_id, [("Content-Type", "application/json")])
        let base = "\(platform.acme.issuer)/mushu/\(client)"
        func post(_ path: String, _ body: [String: any Sendable]) async throws -> TestBrowser.Answer {
            let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
            return try await browser.send("POST", "\(base)/\(path)", headers: json, body: text)
        }
        _ = try await platform.call("PATCH", "/tenants/acme/applications/\(client)", ["returns_tokens_in_url": true])
        let toApple = try await browser.get(
            TestBrowser.Request.url("\(base)/auth/apple/authorize", [("redirect_uri", TestPlatform.redirectURI)]))
        var form = try await browser.atApple(toApple, person: "new")
        form.action = "\(base)/auth/apple/callback"
        let (first, second) = (try await phone.authorize(), try await phone.authorize(nonce: nil))
        let signedIn = try await post(
            "auth/apple", ["id_token": first.idToken, "access_code": first.code, "nonce": first.nonce ?? ""])
        let tokens = signedIn.json["tokens"] as? [String: String] ?? [:]
        let bearer = [("Authorization", "Bearer \(tokens["access_token"] ?? "")")]
        return [
            ("mushuAuthorize", toApple), ("mushuCallback", try await browser.callback(form)), ("mushuSignIn", signedIn),
            ("mushuExchange", try await post("auth/apple/exchange", ["identity_token": second.idToken])),
            ("mushuValidate", try await browser.get("\(base)/auth/validate", headers: bearer)),
            ("mushuUser", try await browser.get("\(base)/users/me", headers: bearer)),
            ("mushuRefresh", try await post("auth/refresh", tokens)), ("mushuLogout", try await post("auth/logout", tokens)),
            ("mushuNotification", try await notify("\(base)/auth/apple/notifications", platform.own)),
        ]
    }

    /// The connection of a tenant as Mushu's provider: Acme's, and a new one of Globex.
    private func mushuProviders() async throws -> [(String, TestBrowser.Answer)] {
        func send(_ method: String, _ tenant: SeedResult.TenantResult, _ path: String, _ body: [String: any Sendable]? = nil) async throws
            -> TestBrowser.Answer
        {
            let (client, key) = (tenant.applications[1].client_id, tenant.api_keys[0].secret)
            let text = try body.map { String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self) }
            return try await browser.send(
                method, "\(tenant.issuer)/mushu/\(client)/apps/\(client)/auth-providers\(path)",
                headers: [("Authorization", "Bearer \(key)"), ("Content-Type", "application/json")], body: text)
        }
        _ = try await platform.call("PATCH", "/tenants/globex", ["plan": "enterprise"])
        let new: [String: any Sendable] = [
            "provider_type": "apple", "enabled": false, "apple_team_id": "NEWTEAM123", "apple_key_id": "NEWKEY1234",
            "apple_services_id": "com.example.new", "apple_private_key": P256.Signing.PrivateKey().pemRepresentation,
        ]
        return [
            ("mushuListProviders", try await send("GET", platform.acme, "")),
            ("mushuGetProvider", try await send("GET", platform.acme, "/apple")),
            ("mushuCreateProvider", try await send("POST", platform.globex, "", new)),
            ("mushuUpdateProvider", try await send("PUT", platform.globex, "/apple", ["apple_bundle_ids": ["com.example.new.app"]])),
            ("mushuDeleteProvider", try await send("DELETE", platform.globex, "/apple")),
        ]
    }

    /// A client that registers, changes and deletes itself. It has every member of its response.
    private func registration() async throws -> [(String, TestBrowser.Answer)] {
        let issued = try await platform.call("POST", "/tenants/acme/initial-access-tokens", ["name": "Partner", "kinds": ["web"]])
        var metadata: [String: any Sendable] = [
            "redirect_uris": [TestPlatform.redirectURI], "client_uri": "https://a.test", "logo_uri": "https://a.test/logo",
            "tos_uri": "https://a.test/tos", "policy_uri": "https://a.test/policy", "contacts": ["ada@a.test"], "software_id": "a",
            "software_version": "1", "backchannel_logout_uri": "https://a.example/out", "backchannel_logout_session_required": true,
            "frontchannel_logout_uri": TestPlatform.redirectURI, "frontchannel_logout_session_required": true,
            "initiate_login_uri": "https://a.test/login",
            "jwks": try ClientKey.set(ClientKey()),
        ]
        func send(_ method: String, _ url: String, _ token: Any?, _ body: [String: any Sendable]?) async throws -> TestBrowser.Answer {
            let text = try body.map { String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self) }
            return try await browser.send(
                method, url, headers: [("Authorization", "Bearer \(token as? String ?? "")"), ("Content-Type", "application/json")],
                body: text)
        }
        let registered = try await send("POST", "\(platform.acme.issuer)/oauth2/register", issued.json["secret"], metadata)
        let (uri, token) = (registered.json["registration_client_uri"] as? String ?? "", registered.json["registration_access_token"])
        metadata["client_id"] = registered.json["client_id"] as? String
        return [
            ("registerClient", registered), ("getRegisteredClient", try await send("GET", uri, token, nil)),
            ("updateRegisteredClient", try await send("PUT", uri, token, metadata)),
            ("deleteRegisteredClient", try await send("DELETE", uri, token, nil)),
        ]
    }

    /// Acme's new logo.
    private func branding() async throws -> [(String, TestBrowser.Answer)] {
        let set = try await browser.send(
            "PUT", "\(TestPlatform.publicURL)/v1/tenants/acme/branding/logo",
            headers: [("Authorization", "Bearer \(platform.acme.api_keys[0].secret)"), ("Content-Type", "image/svg+xml")],
            body: #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>"#)
        let logo = set.json["logo"] as? [String: Any]
        return [("getLogo", try await browser.get(logo?["url"] as? String ?? ""))]
    }

    /// A person who accepts an invitation, signs in in both ways and signs out.
    private func people() async throws -> [(String, TestBrowser.Answer)] {
        var person = PersonClient(platform, "mary@example.com")
        let invited = try await platform.call(
            "POST", "/tenants/acme/invitations", ["email": "mary@example.com", "role": "viewer", "send_mail": false])
        let link = String((invited.json["url"] as? String ?? "").dropFirst(PersonClient.account.count))
        let shown = try await person.open(link)
        let accepted = try await person.send("/invitation", [("name", "Mary"), ("password", person.password)], from: shown)
        let newFactor = try await person.open("/sign-in/authenticator")
        let confirmed = try await person.enroll()
        // A page with a form of the session.
        let again = try await platform.call("POST", "/platform/operators", ["email": "mary@example.com"])
        let own = try await person.open(String((again.json["url"] as? String ?? "").dropFirst(PersonClient.account.count)))
        let signedOut = try await person.send("/sign-out", [], from: own)
        let start = try await person.open("/sign-in")
        let asked = try await person.send("/sign-in", [("email", person.email)], from: start)
        var authenticator = SoftwareAuthenticator()
        authenticator.userHandle = try await person.id().map { withUnsafeBytes(of: $0.uuid, Array.init) }
        try await person.addPasskey(authenticator)
        authenticator.signCount += 1
        let passkey = try await person.open("/sign-in/passkey")
        let assertion = try authenticator.assertion(PersonClient.challenge(passkey) ?? [])
        let withPasskey = try await person.usePasskey(assertion, from: passkey)
        let restart = try await person.open("/sign-in?again=/account")
        let askedAgain = try await person.send("/sign-in", [("email", person.email)], from: restart)
        let given = try await person.send(
            "/sign-in/password", [("email", person.email), ("password", person.password)], from: askedAgain)
        let code = try await person.open("/sign-in/code")
        return [
            ("showInvitation", shown), ("acceptInvitation", accepted), ("showAuthenticator", newFactor),
            ("confirmAuthenticator", confirmed), ("signOut", signedOut), ("showSignIn", start), ("signIn", asked),
            ("showPasskeySignIn", passkey), ("signInWithPasskey", withPasskey), ("signInWithPassword", given),
            ("showSecondFactor", code), ("giveSecondFactor", try await person.send("/sign-in/code", [("code", person.code())], from: code)),
        ]
    }

    private func login(_ request: TestBrowser.Request) async throws -> TestBrowser.Answer {
        try await browser.redeem(try await browser.signIn(request)["code"] ?? "", request)
    }

    private static func bearer(_ token: TestBrowser.Answer) -> (String, String) {
        ("Authorization", "Bearer \(token.json["access_token"] as? String ?? "")")
    }

    /// Sends a notification that Apple has signed.
    private func notify(_ url: String, _ side: TestPlatform.AppleSide) async throws -> TestBrowser.Answer {
        let now = Int(Date().timeIntervalSince1970)
        let event = #"{"type": "email-disabled", "sub": "000123.0123.0456", "event_time": \#(now * 1000)}"#
        let signed = try await platform.simulator.send(
            .POST, "/simulator/notifications/sign",
            ["iss": "https://appleid.apple.com", "aud": side.servicesID, "iat": now, "jti": UUID().uuidString, "events": event])
        return try await browser.send(
            "POST", url, headers: [("Content-Type", "application/json")], body: String(decoding: signed, as: UTF8.self))
    }

    /// A sign-in of a person with the provider of Acme, and those with Apple, which lead to the sign-in without the setting.
    private func providers() async throws -> [(String, TestBrowser.Answer)] {
        let (root, email) = (TestPlatform.publicURL, "ada@acme.test")
        return try await FakeProvider.run { provider in
            let settings: [String: any Sendable] = [
                "issuer": provider.issuer, "client_id": FakeProvider.clientID, "client_secret": FakeProvider.secret,
            ]
            _ = try await platform.call("PUT", "/tenants/acme/sso", settings)
            _ = try await platform.call("POST", "/tenants/acme/invitations", ["email": email, "role": "developer"])
            _ = try await platform.call("POST", "/tenants/acme/sso/domains", ["domain": "acme.test"])
            _ = try await platform.ownerPool.run("UPDATE sso_domain SET state = 'active', verified_at = now()")
            provider.change(.init(claims: ["email": email]))
            let browser = TestBrowser(platform)
            let page = try await browser.get("\(root)/account/sign-in")
            let csrf = page.body.firstMatch(of: /name="csrf" value="([^"]*)"/).map { String($0.1) } ?? ""
            let form = [("csrf", csrf), ("email", email)]
            let apple = try await browser.post("\(root)/account/apple", form: form)
            let started = try await browser.post("\(root)/account/sso", form: form)
            let (code, query) = try provider.authorize(String((started.header("Refresh") ?? "").dropFirst("0; url=".count)))
            let back = TestBrowser.Request.url("\(root)/account/sso/callback", [("code", code), ("state", query["state"] ?? "")])
            return [
                ("startApple", apple), ("startSSO", started), ("ssoCallback", try await browser.get(back)),
                ("linkApple", try await TestBrowser(platform).post("\(root)/account/apple/link", form: form)),
                ("unlinkApple", try await TestBrowser(platform).post("\(root)/account/apple/removal", form: form)),
            ]
        }
    }
}
