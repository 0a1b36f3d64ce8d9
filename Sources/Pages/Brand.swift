/// The look of a tenant on the pages that its users see.
package struct Brand: Sendable, Equatable {
    /// The name that users know, for example the name of a product.
    package var name: String
    /// The URL path of the logo on this server, for example `/t/acme/logo/3f…`.
    package var logo: String?
    /// The color of buttons and links.
    package var color: Color?
    /// Where a user gets help: an https URL or a `mailto:` URL.
    package var supportURL: String?
    package var privacyURL: String?
    package var termsURL: String?
    /// The language of a user whose browser names none of `Language`.
    package var language: Language?

    package init(
        name: String, logo: String? = nil, color: Color? = nil, supportURL: String? = nil, privacyURL: String? = nil,
        termsURL: String? = nil, language: Language? = nil
    ) {
        (self.name, self.logo, self.color, self.supportURL) = (name, logo, color, supportURL)
        (self.privacyURL, self.termsURL, self.language) = (privacyURL, termsURL, language)
    }
}
