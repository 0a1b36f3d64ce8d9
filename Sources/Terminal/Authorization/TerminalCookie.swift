import Encoding
import Hummingbird
import Web

/// The cookie with the sealed request of a terminal, while the person signs in and decides. It proves nothing, because a link of another site
/// can set it, too.
enum TerminalCookie {
    static func name(_ publicURL: String) -> String { (publicURL.begins(with: "https:") ? "__Host-" : "") + "espalier-account-terminal" }

    static func set(_ request: String, publicURL: String) -> String {
        "\(name(publicURL))=\(request); Max-Age=\(Int(TerminalRequest.lifetime)); \(attributes(publicURL))"
    }

    static func removal(_ publicURL: String) -> String { "\(name(publicURL))=; Max-Age=0; \(attributes(publicURL))" }

    private static func attributes(_ publicURL: String) -> String {
        "Path=/; HttpOnly;\(publicURL.begins(with: "https:") ? " Secure;" : "") SameSite=Lax"
    }
}
