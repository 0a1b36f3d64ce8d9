import ArgumentParser

/// `espalierctl branding set`: changes a tenant's branding.
struct SetBranding: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Changes the name, color, links and language of a tenant's pages.",
        discussion: """
            Properties without an option do not change. An empty value ('') resets a property.

            EXAMPLES
              espalierctl branding set --tenant acme --display-name "Acme Shop" \\
                --color "#0a7d5c"
              espalierctl branding set --tenant acme \\
                --support-url mailto:help@acme.example --default-language de
              espalierctl branding set --tenant acme --terms-url ''
            """)
    static let view: View? = .branding

    @Option(help: ArgumentHelp("The name that users see. By default, they see the tenant's name.", valueName: "text"))
    var displayName: String?

    @Option(help: ArgumentHelp("The color of buttons: # and six hexadecimal digits, for example #0a7d5c.", valueName: "color"))
    var color: String?

    @Option(
        name: .customLong("support-url"),
        help: ArgumentHelp("Where users get help: an https URL, or mailto: and one address.", valueName: "url"))
    var supportURL: String?

    @Option(name: .customLong("privacy-url"), help: ArgumentHelp("The https URL of the privacy policy.", valueName: "url"))
    var privacyURL: String?

    @Option(name: .customLong("terms-url"), help: ArgumentHelp("The https URL of the terms of service.", valueName: "url"))
    var termsURL: String?

    @Option(
        help: ArgumentHelp(
            """
            The language for a user whose browser names no supported one: en, de, fr, es, it, pt, nl, ja, ko, zh-Hans, zh-Hant, ar, he, \
            tr or pl. The default is en.
            """, valueName: "tag"))
    var defaultLanguage: String?

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        guard members.values.contains(where: { $0 != nil }) else {
            throw ValidationError(
                "Pass --display-name, --color, --support-url, --privacy-url, --terms-url or --default-language.")
        }
    }

    func call(_ session: Session) throws -> Call {
        let path = "\(try session.path(tenant))/branding"
        return .patch(path, members).ifUnchanged(path, match.ifMatch)
    }

    func note(_ branding: JSON) -> String? { branding.warnings }

    private var members: [String: JSON?] {
        [
            "display_name": displayName, "color": color, "support_url": supportURL, "privacy_url": privacyURL, "terms_url": termsURL,
            "default_language": defaultLanguage,
        ].mapValues { value in value.map { $0.isEmpty ? .null : .string($0) } }
    }
}
