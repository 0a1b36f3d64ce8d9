import Encoding
import Hummingbird
import Web

/// A cookie of the pages of people.
///
/// Browsers attach it to navigations of the whole window, and to no form of another site (`SameSite=Lax`). `__Host-` prevents sibling domains
/// from setting one. Settings allow plain http on loopback only.
enum AccountCookie: String, CaseIterable {
    /// The secret of a session.
    case session = "espalier-account"
    /// The sealed steps of a sign-in that is not finished.
    case step = "espalier-account-step"
    /// The sealed sign-in at another service that is not finished (`OIDCAttempt`).
    case provider = "espalier-account-provider"
    /// The proof of an earlier sign-in of a person.
    case knownBrowser = "espalier-account-browser"

    func name(_ publicURL: String) -> String { (publicURL.begins(with: "https:") ? "__Host-" : "") + rawValue }

    /// - Parameter seconds: how long the browser keeps it.
    func set(_ value: String, seconds: Int, publicURL: String) -> String {
        "\(name(publicURL))=\(value); Max-Age=\(max(0, seconds)); \(Self.attributes(publicURL))"
    }

    func removal(_ publicURL: String) -> String { "\(name(publicURL))=; Max-Age=0; \(Self.attributes(publicURL))" }

    func values(in request: Request, publicURL: String) -> [String] { request.cookies(named: name(publicURL)) }

    private static func attributes(_ publicURL: String) -> String {
        "Path=/; HttpOnly;\(publicURL.begins(with: "https:") ? " Secure;" : "") SameSite=Lax"
    }
}
