import Encoding
import Foundation
import NIOHTTP1
package import Server

extension TestBrowser.Request {
    /// The authorization request with parameters changed or added, or removed if nil.
    package func authorizeURL(changing changes: [String: String?], at path: String? = nil) -> String {
        var parameters = parameters.filter { changes[$0.0] == nil }
        for (name, value) in changes { if let value { parameters.append((name, value)) } }
        return Self.url(path ?? "\(tenant.issuer)/oauth2/authorize", parameters)
    }
}

extension TestBrowser.Answer {
    /// A redirect, as a person follows a link.
    package init(redirectingTo location: String) {
        self.init(status: 303, headers: ["Location": location], body: "")
    }

    /// Whether the response is a page for a person with this status that neither redirects nor sets a cookie.
    /// - Parameter setsCookies: whether it may set cookies.
    package func isPage(_ status: Int, setsCookies: Bool = false) -> Bool {
        self.status == status && location == nil && headers["Set-Cookie"].isEmpty != setsCookies
            && headers.first(name: "Content-Type") == "text/html; charset=utf-8" && headers.first(name: "Cache-Control") == "no-store"
            && headers.first(name: "Content-Security-Policy")?.contains("frame-ancestors 'none'") == true
    }

    /// Whether the response reports this error to the application, with the request's state and the issuer, and without a code.
    package func reports(_ request: TestBrowser.Request, _ error: String) -> Bool {
        status == 303 && location?.hasPrefix(request.redirectURI) == true && self["error"] == error && self["state"] == request.state
            && self["iss"] == request.tenant.issuer && self["code"] == nil && self["error_description"]?.isEmpty == false
            && headers.first(name: "Cache-Control") == "no-store"
    }

    /// Whether the response is a refusal of the token endpoint (RFC 6749, section 5.2).
    package func isOAuthError(_ status: Int, _ error: String) -> Bool {
        self.status == status && json["error"] as? String == error && Set(json.keys) == ["error", "error_description"]
            && headers.first(name: "Content-Type") == "application/json" && headers.first(name: "Cache-Control") == "no-store"
            // RFC 9110, section 11.6.1.
            && (status != 401 || header("WWW-Authenticate") != nil)
    }

    package func string(_ field: String) -> String? { json[field] as? String }
}

extension TestBrowser {
    package struct NoCode: Error, CustomStringConvertible {
        package let description: String
    }

    /// The code of the redirect after a login that must succeed.
    package func code(_ request: Request, person: String = "new", headers: [(String, String)] = []) async throws -> String {
        let answer = try await signIn(request, person: person, headers: headers)
        guard let code = answer["code"] else {
            throw NoCode(description: "no code: \(answer.status) \(answer.location ?? answer.body)")
        }
        return code
    }

    package func userInfo(_ accessToken: String?, of tenant: SeedResult.TenantResult) async throws -> Answer {
        try await get("\(tenant.issuer)/oauth2/userinfo", headers: [("Authorization", "Bearer \(accessToken ?? "")")])
    }
}

/// The claims of a JWT, unverified.
package func claims(of token: String?) throws -> [String: any Sendable] {
    try jwtPart(1, of: token)
}

/// The header of a JWT.
package func jwtHeader(_ token: String?) throws -> [String: String] {
    try jwtPart(0, of: token).compactMapValues { $0 as? String }
}

private func jwtPart(_ number: Int, of token: String?) throws -> [String: any Sendable] {
    let parts = (token ?? "").split(separator: ".")
    guard parts.count == 3, let bytes = [UInt8](base64URL: String(parts[number])) else { return [:] }
    return try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: any Sendable] ?? [:]
}
