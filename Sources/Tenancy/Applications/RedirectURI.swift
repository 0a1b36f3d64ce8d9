import Encoding
import Foundation

/// The rules for redirect URIs, and their comparison. A logout URI has the same form.
package enum RedirectURI {
    /// The reason for refusing a URI, or nil.
    ///
    /// Permitted are https, http on a loopback address, and a private-use scheme with a dot (RFC 8252, section 7.1). `DevelopmentURI` has
    /// the other forms. A fragment (RFC 6749, section 3.1.2) and user information are refused.
    ///
    /// The two patterns are the same as in openapi.yaml. The code after them only selects the message.
    package static func refusal(of uri: String) -> String? {
        // This check comes before the patterns, because a comparison of strings treats a Kelvin sign as a K.
        guard (1...2000).contains(uri.utf8.count), uri.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return "is not an absolute URI" }
        if uri.wholeASCIIMatch(of: web) != nil || uri.wholeASCIIMatch(of: privateUse) != nil { return nil }
        guard !uri.contains("#") else { return "must not have a fragment" }
        if let development = DevelopmentURI(uri) { return development.refusal(of: uri) }
        guard let colon = uri.firstIndex(of: ":") else { return "is not an absolute URI" }
        let authority = uri[colon...].dropFirst(3).prefix { $0 != "/" && $0 != "?" }
        switch uri[..<colon] {
        case "https", "http":
            if authority.contains("@") { return "must not contain a user" }
            if uri.hasPrefix("http:") { return "must use https, because its host is not a loopback address" }
            return "has no host, or has a character that must be percent-encoded"
        case let scheme where scheme.contains("."): return "has a character that must be percent-encoded"
        default: return "is not an absolute URI"
        }
    }

    // These are computed, because a `Regex` cannot be shared. They ignore white space in the pattern.
    private static var web: Regex<Substring> {
        #/
        (?:https://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|http://(?:localhost|127\.0\.0\.1|\[::1\]))
        (?::[0-9]{1,5})?
        (?:[\/?](?:[A-Za-z0-9._~:\/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?
        /#
    }

    private static var privateUse: Regex<Substring> {
        #/
        [A-Za-z][A-Za-z0-9+-]*(?:\.[A-Za-z0-9+-]+)+:
        (?:[A-Za-z0-9._~:\/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*
        /#
    }

    /// Whether a valid URI has a private-use scheme, which a program on a device claims.
    package static func isPrivateUse(_ uri: String) -> Bool {
        !uri.hasPrefix("https://") && !uri.hasPrefix("http://")
    }

    /// Whether a valid URI leads to a program on the user's device: by a private-use scheme, or http on a loopback address.
    package static func isOfDevice(_ uri: String) -> Bool {
        !uri.hasPrefix("https://")
    }

    /// Whether a valid URI has a form that requires `allows_development_uris`.
    package static func isForDevelopment(_ uri: String) -> Bool {
        DevelopmentURI(uri) != nil
    }

    /// The origin of a valid URI in the form that a browser sends (RFC 6454, section 6.2). Nil for a private-use scheme. The origin of a
    /// registered URI with a wildcard has this wildcard, so it is not one of a browser.
    package static func origin(of uri: String) -> String? {
        guard !isPrivateUse(uri), let parts = URLComponents(string: uri), let scheme = parts.scheme, let host = parts.host
        else { return nil }
        let port = parts.port.flatMap { $0 == (scheme == "https" ? 443 : 80) ? nil : ":\($0)" } ?? ""
        return "\(scheme)://\(host.lowercased())\(port)"
    }

    /// Whether two URIs on the same loopback address differ only in the port.
    /// - Parameter allowsName: whether the name `localhost` also has a free port.
    static func isSameLoopback(_ registered: String, _ requested: String, allowsName: Bool = false) -> Bool {
        guard registered.hasPrefix("http://"), requested.hasPrefix("http://"), refusal(of: requested) == nil,
            var a = URLComponents(string: registered), var b = URLComponents(string: requested),
            // Usually, only the addresses themselves have a free port, because `localhost` may resolve to another address.
            let host = a.host, host == "127.0.0.1" || host == "[::1]" || allowsName && host == "localhost",
            b.port.map({ (1...65535).contains($0) }) ?? true
        else { return false }
        (a.port, b.port) = (nil, nil)
        return (a.string ?? "").isSame(as: b.string ?? "")
    }

    package static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "127.0.0.1" || host == "[::1]" || host == "::1"
    }
}

/// A redirect URI whose form is only for development. A logout URI has the same forms.
///
/// An exact https address belongs to one server. These forms let other hosts or other programs receive a login's code, so only an
/// application with `allows_development_uris` can have them. For such an application, `http://localhost` also matches with any port.
enum DevelopmentURI: Equatable {
    /// `https://*.preview.example`: each host with one more label, such as a preview of a branch.
    case wildcard(host: String)
    /// `myapp:/callback`: a private-use scheme of one label. Any program on a device can claim it (RFC 8252, section 8.6).
    case shortScheme(String)

    /// The form of a text. Nil for any other form. `refusal(of:)` checks the rest.
    init?(_ uri: String) {
        if uri.begins(with: Self.wildcardStart) {
            self = .wildcard(host: String(Substring(uri.utf8.dropFirst(8).prefix { !":/?#".utf8.contains($0) })))
            return
        }
        let scheme = uri.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard scheme.count < uri.utf8.count, String(Substring(scheme)).wholeASCIIMatch(of: Self.scheme) != nil,
            !Substring(scheme).isSame(as: "http"), !Substring(scheme).isSame(as: "https")
        else { return nil }
        self = .shortScheme(String(Substring(scheme)))
    }

    /// The part of the URI that makes it one for development.
    var name: String {
        switch self {
        case .wildcard(let host): "https://\(host)"
        case .shortScheme(let scheme): "\(scheme):"
        }
    }

    /// The reason for refusing this form of a URI, or nil.
    ///
    /// The patterns are the same as in openapi.yaml. The lists after them are not in it.
    func refusal(of uri: String) -> String? {
        switch self {
        case .wildcard(let host):
            // One more label of 63 bytes must fit into a name of 253 bytes (RFC 1035, section 2.3.4).
            guard uri.wholeASCIIMatch(of: Self.wildcard) != nil, host.utf8.count <= 191 else {
                return """
                    must have * as its whole first label, and at least two more labels in lower case, such as \
                    https://*.preview.example.com/callback
                    """
            }
            guard !Self.isShared(host.utf8.dropFirst(2)) else {
                return "has a domain in which anybody can register a name. Use a domain that belongs to you"
            }
            return nil
        case .shortScheme(let scheme):
            guard !Self.isReserved(scheme.asciiLowercased) else {
                return "has a scheme of browsers, systems or other programs. Use a name of your own, such as myapp:/callback"
            }
            guard uri.wholeASCIIMatch(of: Self.shortScheme) != nil else {
                return """
                    must have a scheme of 2 to 64 lower-case letters, digits, + or -, and must have other characters percent-encoded, \
                    such as myapp:/callback
                    """
            }
            return nil
        }
    }

    // MARK: Comparison

    private static let wildcardStart = "https://*"

    /// Whether a registered URI has a wildcard. Such a URI never equals a requested one.
    static func hasWildcard(_ registered: String) -> Bool { registered.begins(with: wildcardStart) }

    /// Whether a requested URI has one label at the wildcard of a registered one, and otherwise the same bytes.
    ///
    /// A label has 1 to 63 lower-case letters, digits and hyphens, as a browser writes it (RFC 1123, section 2.1). So it contains no dot,
    /// user, port, percent sign or further wildcard.
    static func isSameExceptLabel(_ registered: String, _ requested: String) -> Bool {
        guard hasWildcard(registered), requested.begins(with: "https://") else { return false }
        let rest = requested.utf8.dropFirst(8)
        let label = rest.prefix { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
        guard (1...63).contains(label.count), label.first != UInt8(ascii: "-"), label.last != UInt8(ascii: "-") else { return false }
        return rest.dropFirst(label.count).elementsEqual(registered.utf8.dropFirst(wildcardStart.utf8.count))
    }

    /// The origins of pages that `isSameOrigin` compares: loopback addresses without a port, and origins with a wildcard.
    static func origins(of registered: [String]) -> [String] {
        let origins = registered.compactMap { uri -> String? in
            if hasWildcard(uri) { return RedirectURI.origin(of: uri) }
            guard uri.begins(with: "http://") else { return nil }
            return URLComponents(string: uri)?.host.map { "http://\($0)" }
        }
        return Set(origins).sorted()
    }

    /// Whether a browser's origin is one of these. A page on loopback has any port.
    static func isSameOrigin(_ registered: String, _ origin: String) -> Bool {
        isSameExceptLabel(registered, origin) || RedirectURI.isSameLoopback(registered, origin, allowsName: true)
    }

    // MARK: Patterns

    // These are computed, because a `Regex` cannot be shared. They ignore white space in the pattern.
    private static var scheme: Regex<Substring> { /[A-Za-z][A-Za-z0-9+-]*/ }

    private static var wildcard: Regex<Substring> {
        #/
        https://\*(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+\.[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?
        (?::[0-9]{1,5})?
        (?:[\/?](?:[A-Za-z0-9._~:\/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?
        /#
    }

    private static var shortScheme: Regex<Substring> {
        #/
        [a-z][a-z0-9+-]{1,63}:
        (?:[A-Za-z0-9._~:\/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*
        /#
    }
}

/// The names that development URIs cannot have. The lists contain the usual names and are not complete, because programs and hosting
/// providers add new ones. The application's own name and domain are the only safe choice.
extension DevelopmentURI {
    /// Whether a scheme in lower case has a meaning to a browser, a system, or a widely used program.
    static func isReserved(_ scheme: String) -> Bool {
        reserved.contains(scheme) || reservedStarts.contains { scheme.begins(with: $0) }
    }

    /// Whether anybody can register a name in this domain: a top-level domain, a public suffix such as `co.uk`, or a hosting provider's
    /// domain. Another person's host would receive the codes.
    static func isShared(_ domain: some Sequence<UInt8>) -> Bool {
        let domain = String(decoding: Array(domain), as: UTF8.self)
        if hosting.contains(domain) || deepHosting.contains(where: { domain.utf8.reversed().starts(with: ".\($0)".utf8.reversed()) }) {
            return true
        }
        let labels = domain.parts(at: ".")
        // The second levels of countries (https://publicsuffix.org).
        return labels.count < 2 || labels.count == 2 && labels[1].utf8.count == 2 && secondLevels.has(labels[0])
    }

    private static let reserved: Set<String> = [
        // Networks: the target is a host, and not a program on the device.
        "http", "https", "ws", "wss", "ftp", "ftps", "sftp", "ssh", "telnet", "gopher", "ldap", "ldaps", "nfs", "smb", "afp", "rtsp", "dns",
        "git", "svn", "rsync", "vnc", "rdp",
        // Browsers: they run or show the rest of the address.
        "javascript", "vbscript", "livescript", "mocha", "data", "blob", "file", "filesystem", "about", "view-source", "jar", "resource",
        "res", "chrome", "chrome-extension", "moz-extension", "safari-extension", "safari-web-extension", "edge", "opera", "brave",
        "vivaldi",
        "feed", "mhtml", "cid", "mid", "urn", "tag", "wyciwyg", "localhost",
        // Schemes that any web page can claim (HTML Standard, section 8.9.1.3).
        "bitcoin", "geo", "im", "irc", "ircs", "magnet", "mailto", "matrix", "mms", "news", "nntp", "openpgp4fpr", "sip", "sips", "sms",
        "smsto", "tel", "webcal", "wtai", "xmpp",
        // Apple's systems.
        "facetime", "facetime-audio", "imessage", "message", "messages", "maps", "map", "telprompt", "prefs", "app-prefs", "app-settings",
        "shortcuts", "shareddocuments", "photos-redirect", "photos", "music", "musics", "videos", "podcasts", "podcast", "ibooks",
        "contacts", "calshow", "calendar", "mobilephone", "mobilenotes", "diagnostics", "wallet", "shoebox", "findmy", "fmip1", "icloud",
        // Other systems.
        "intent", "content", "android-app", "package", "market", "mmsto", "voicemail", "shell", "search-ms", "hcp", "mapi", "bluetooth",
        "steam", "zoommtg", "msteams", "slack", "vscode",
        // Wallets and sign-in.
        "openid", "openid4vp", "openid-vc", "openid-credential-offer", "openid-initiate-issuance", "haip", "eudi-openid4vp", "mdoc", "fido",
        "otpauth", "otpauth-migration", "oauth", "did", "ethereum", "lightning", "wc", "upi", "payto",
    ]

    /// Families of such schemes: those of web pages (`web+`), Apple and Microsoft.
    private static let reservedStarts = [
        "web+", "ext+", "apple-", "x-apple", "itms", "itunes", "x-web-search", "com-apple", "ms-", "microsoft-",
    ]

    private static let secondLevels = [
        "ac", "co", "com", "edu", "gob", "gov", "gouv", "go", "ltd", "mil", "ne", "net", "nom", "or", "org", "plc",
    ]

    /// Providers that also give names below a region, such as `uc.a.run.app`.
    private static let deepHosting = ["run.app", "appspot.com", "azurestaticapps.net", "azurewebsites.net", "ngrok.io", "ngrok.app"]

    private static let hosting: Set<String> = [
        "amplifyapp.com", "appspot.com", "azurestaticapps.net", "azurewebsites.net", "bitbucket.io", "cloudfront.net", "codesandbox.io",
        "csb.app", "deno.dev", "firebaseapp.com", "fly.dev", "github.dev", "github.io", "githubpreview.dev", "gitlab.io", "gitpod.io",
        "glitch.me", "herokuapp.com", "loca.lt", "lovable.app", "netlify.app", "netlify.com", "ngrok.app", "ngrok.dev", "ngrok.io",
        "ngrok-free.app", "ngrok-free.dev", "now.sh", "onrender.com", "pages.dev", "plesk.page", "preview.app.github.dev",
        "app.github.dev", "railway.app", "up.railway.app", "render.com", "repl.co", "replit.app", "replit.dev", "run.app", "serveo.net",
        "stackblitz.io", "surge.sh", "trycloudflare.com", "vercel.app", "vercel.dev", "web.app", "webcontainer.io", "workers.dev",
    ]
}
