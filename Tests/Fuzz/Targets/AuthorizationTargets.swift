import Access
@testable import Accounts
@testable import Devices
import Encoding
import Foundation
import Fuzzing
@testable import Sessions
import Tenancy
import Web

extension FuzzTarget {
    private static let website = application(1, .web, "https://app.test/callback")
    private static let program = application(2, .native, "http://127.0.0.1/cb")
    private static let machine = application(3, .machine)
    private static let applications: [ID<Application>: Application] = [website.id: website, program.id: program, machine.id: machine]

    private static func query(
        _ application: Application = website, uri: String = "https%3A%2F%2Fapp.test%2Fcallback", state: String = "s",
        method: String = "S256",
        adding more: String = ""
    ) -> String {
        """
        client_id=\(application.id)&redirect_uri=\(uri)&response_type=code&scope=openid+x+email&state=\(state)&nonce=n\
        &code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=\(method)\(more)
        """
    }

    static let authorization: [FuzzTarget] = [
        FuzzTarget(
            text: "user-code", upTo: 128,
            seeds: [
                "BCDF-GHJK", "bcdfghjk", " b c d f - g h j k ", "BCDF-GHJA", "BCDF\u{600}-GHJK", "BCDFGHJK\u{301}", "BCDFGHJ\u{212A}", "",
            ]
        ) { text in
            guard let code = UserCode(text) else { return }
            let letters = text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
            try hold(letters.count == 8 && letters.allSatisfy { $0 < 0x80 }, "another character passed")
            try hold(UserCode(code.text) == code, "the shown code is another one")
            try hold(code.text.utf8.elementsEqual(UserCode(text.uppercased())?.text.utf8 ?? "".utf8), "case counts")
        },
        FuzzTarget(
            text: "authorization-request", upTo: 1024,
            seeds: [
                query(), query(adding: "&max_age=600&prompt=login+consent"), query(adding: "&response_mode=form_post"),
                query(adding: "&prompt=none"),
                query(adding: "&max_age=-1"), query(adding: "&max_age=９"), query(adding: "&request=a.b.c"), query(adding: "&state=t"),
                query(program, uri: "http://127.0.0.1:4711/cb"), query(uri: "https://app.test/callbac\u{212A}"), query(machine),
                query(method: "plain"), query(state: "%00%0d%0a", adding: "&response_mode=form_post"), query(uri: "https://evil.test/"),
                "client_id=\(website.id)", "",
            ]
        ) { text in
            guard let form = try? Form(text) else { return }
            do {
                let asked = try AuthorizationRequest(form, from: applications, issuer: "https://login.test/t/acme")
                try holdAddress(asked.returnAddress, form)
                try hold(form["client_id"] == "\(asked.application.id)", "it is for another application")
                try hold((asked.returnAddress.state ?? "").utf8.count <= AuthorizationRequest.longestState, "a long state is stored")
                try hold(form["response_type"] == "code" && form["request"] == nil, "an unsupported parameter passed")
                try hold(form["prompt"]?.split(separator: " ").contains("none") != true, "a login without a person passed")
                try hold((asked.maxAge ?? 0) >= 0 && (asked.maxAge == nil) == (form["max_age"] == nil), "another age is requested")
                try hold((asked.nonce ?? "").utf8.count <= 512, "a long nonce passed")
                let scopes = asked.scope.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
                try hold(Set(scopes).isSubset(of: Scope.supported), "\(asked.scope) is requested")
                // All of them require PKCE.
                try hold(
                    asked.codeChallenge.map(PKCE.isChallenge) == true && form["code_challenge_method"] == "S256", "PKCE is worked around")
            } catch let error as RedirectedError {
                try holdAddress(error.returnAddress, form)
            } catch is ErrorPage {
                return
            }
        },
        FuzzTarget(
            text: "cross-origin-path",
            seeds: [
                "/t/acme/oauth2/token", "/t/acme/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/t/acme",
                "//t//acme//oauth2/token", "/t/acme/oauth2/authorize", "/.well-known/oauth-authorization-server/t/",
                "/t/acme/oauth2/token/",
                "/t/a\u{301}/oauth2/userinfo", "/t/acme/oauth2/revoke", "/.well-known/openid-configuration/t/acme/",
                "/t/\u{301}/oauth2/jwks",
            ]
        ) { text in
            guard let endpoint = CrossOrigin.endpoint(at: text) else { return }
            try hold(text.utf8.contains("/\(endpoint.tenant)".utf8) && !endpoint.methods.isEmpty, "\(endpoint.tenant) is not in \(text)")
            let open = ["oauth2/token", "oauth2/userinfo", "oauth2/revoke"]
            let everybodys = ["oauth2/jwks", ".well-known/openid-configuration", ".well-known/oauth-authorization-server"]
            let path = text.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
            let below = path.first == "t" ? path.dropFirst(2).joined(separator: "/") : path.prefix(2).joined(separator: "/")
            try hold((endpoint.isPublic ? everybodys : open).contains(below), "\(text) is accessible to pages")
        },
        FuzzTarget("apple-revocation-grant", bytes: [grant, Array(grant.dropLast()), grant + [0], [], joinedGrant]) { bytes in
            guard let read = try? AppleRevocation.Grant(bytes) else { return try hold(bytes != grant, "our own output is not read") }
            try hold("\(read)" == "Grant(…)", "it prints")
            // Text that is not UTF-8 is repaired, because only we seal it.
            guard !(read.subject + read.refreshToken).unicodeScalars.contains("\u{FFFD}") else { return }
            try hold(bytes.starts(with: read.bytes), "the result differs from the input")
        },
    ]

    private static let grant = AppleRevocation.Grant(subject: "001234.abc", refreshToken: "r.0.token").bytes
    /// Not UTF-8, with a combining mark after it.
    private static let joinedGrant: [UInt8] =
        [0, 10] + Array("001234.abc".utf8) + [0, 9, 0x72, 0x22, 0xCC, 0x81, 0x2E, 0xAF, 0xCC, 0x81, 0x2E]

    private static func application(_ number: Int, _ kind: Application.Kind, _ redirectURIs: String...) -> Application {
        Application(
            ID("app_01ab3d1v3q000000000000000\(number)")!, kind: kind, name: "Shop", redirectURIs: redirectURIs,
            at: Date(timeIntervalSince1970: 1_795_000_000))
    }

    /// For any mistake, the browser is redirected to a registered address, or not at all.
    private static func holdAddress(_ address: ReturnAddress, _ form: Form) throws {
        let uri = address.redirectURI
        try hold(form["redirect_uri"]?.isExactly(uri) == true, "it is sent to \(uri), which was not requested")
        let isOwnPort = uri.wholeMatch(of: /http:\/\/127\.0\.0\.1(:[0-9]{1,5})?\/cb/) != nil && uri.isASCII
        try hold(uri.isExactly("https://app.test/callback") || isOwnPort, "it is sent to \(uri)")
        try hold((address.state ?? "").utf8.count <= AuthorizationRequest.longestStateInAnswer, "a long state is sent back")
        try hold((form["state"] ?? "").isExactly(address.state ?? ""), "another state is sent back")
    }
}
