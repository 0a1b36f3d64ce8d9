import ArgumentParser

/// `espalierctl branding`: manages the look of a tenant's pages.
struct Branding: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows and changes the look of the pages that a tenant's users see.",
        subcommands: [ShowBranding.self, SetBranding.self, SetLogo.self, RemoveLogo.self])
}

extension View {
    static let branding = View(
        .init("Display name", "display_name").optional,
        .init("Color", "color").optional,
        .init("Text color", "text_color").optional,
        .init("Support", "support_url").optional,
        .init("Privacy", "privacy_url").optional,
        .init("Terms", "terms_url").optional,
        .init("Default language", "default_language").optional,
        .init("Logo", "logo.url").optional,
        .init("Logo type", "logo.media_type").optional,
        .init("Logo size (bytes)", "logo.size").optional,
        .init("Created", "created_at"),
        .init("Updated", "updated_at"))
}

extension JSON {
    /// The warnings of a branding, one per line. Nil without a warning.
    var warnings: String? {
        let details = self["warnings"]?.elements?.compactMap { $0["detail"]?.string } ?? []
        return details.isEmpty ? nil : details.map { "warning: \($0)" }.joined(separator: "\n")
    }
}
