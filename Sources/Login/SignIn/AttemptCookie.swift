import HTTPTypes
import Hummingbird
import Tenancy

/// The cookie that ties a login attempt to the browser that began it: one an attempt, so that two tabs
/// do not disturb each other.
///
/// Apple's answer is a cross-site POST, to which browsers attach only `SameSite=None` cookies, and those
/// only with `Secure`. `__Host-` keeps sibling domains from planting one. On plain http, which settings
/// allow on loopback only, none of this can be had nor is needed: the simulator is the same site.
struct AttemptCookie {
    let name: String
    private let attributes: String

    init(_ login: ID<LoginID>, publicURL: String) {
        let isSecure = publicURL.hasPrefix("https:")
        name = "\(isSecure ? "__Host-" : "")espalier-\(login.description.suffix(12))"
        attributes = isSecure ? "Path=/; HttpOnly; Secure; SameSite=None" : "Path=/; HttpOnly; SameSite=Lax"
    }

    func set(_ secret: String) -> String {
        "\(name)=\(secret); Max-Age=\(Int(LoginAttempt.lifetime)); \(attributes)"
    }

    var removal: String {
        "\(name)=; Max-Age=0; \(attributes)"
    }

    func value(in request: Request) -> String? {
        for field in request.headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0].drop(while: { $0 == " " }) == name { return String(parts[1]) }
            }
        }
        return nil
    }
}
