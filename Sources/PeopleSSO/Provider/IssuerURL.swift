import Delivery

/// The rules for an issuer (OpenID Connect Discovery, section 2): an https URL without a query and a fragment. A development server also
/// accepts http and any host.
enum IssuerURL {
    /// The reason for refusing an issuer, or nil.
    static func refusal(of text: String, allowsPrivate: Bool) -> String? {
        guard WebhookURL.refusal(of: text, allowsPrivate: allowsPrivate) == nil, !text.utf8.contains(UInt8(ascii: "?"))
        else {
            return "It must be an https URL with a domain name, such as https://login.example.com, without a user, query or fragment."
        }
        return nil
    }
}
