import Encoding
import Pages
import Web

/// The members of a request that describe a branding, each validated individually. Absent members change nothing, and null resets.
struct BrandingFields: Sendable {
    private let changes: [@Sendable (inout Branding) -> Void]

    init(_ fields: inout JSONFields) {
        var changes: [@Sendable (inout Branding) -> Void] = []
        func set<Value: Sendable>(_ name: String, _ value: Value?, _ member: any WritableKeyPath<Branding, Value?> & Sendable) {
            if value != nil || fields.isNull(name) { changes.append { $0[keyPath: member] = value } }
        }
        let displayName = fields.text("display_name", refusal: DisplayName.refusal)
        let color = fields.text("color", 1...20) {
            Color(hex: $0) == nil ? "It must be # and six hexadecimal digits, for example #0a7d5c." : nil
        }
        let supportURL = fields.text("support_url", 1...2000, refusal: PublicURL.refusal(ofContact:))
        let privacyURL = fields.text("privacy_url", 1...2000, refusal: PublicURL.refusal(ofPage:))
        let termsURL = fields.text("terms_url", 1...2000, refusal: PublicURL.refusal(ofPage:))
        let language = fields.choice("default_language", Language.self)
        set("display_name", displayName, \.displayName)
        set("color", color.flatMap { Color(hex: $0) }, \.color)
        set("support_url", supportURL, \.supportURL)
        set("privacy_url", privacyURL, \.privacyURL)
        set("terms_url", termsURL, \.termsURL)
        set("default_language", language, \.language)
        self.changes = changes
    }

    func applied(to branding: Branding) -> Branding {
        changes.reduce(into: branding) { $1(&$0) }
    }
}

/// The URLs that a tenant's pages link to.
package enum PublicURL {
    /// The reason for refusing the URL of a page, or nil. The pattern is the same as in openapi.yaml.
    package static func refusal(ofPage url: String) -> String? {
        url.wholeASCIIMatch(of: page) == nil ? "It must be an https URL, for example https://www.example.com/privacy." : nil
    }

    /// The reason for refusing the address of a support team, or nil: the URL of a page, or `mailto:` and one address (RFC 6068). Further
    /// fields of a mail are refused, because a page shows only the address.
    package static func refusal(ofContact url: String) -> String? {
        guard url.wholeASCIIMatch(of: page) == nil, url.wholeASCIIMatch(of: mail) == nil else { return nil }
        return "It must be an https URL, or `mailto:` and one address, for example mailto:help@example.com."
    }

    // These are computed, because a `Regex` cannot be shared. They ignore white space in the pattern.
    private static var page: Regex<Substring> {
        #/
        https://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?
        (?:[\/?\#](?:[A-Za-z0-9._~:\/?\#@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?
        /#
    }

    private static var mail: Regex<Substring> {
        #/mailto:[A-Za-z0-9._+-]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?/#
    }
}
