import Encoding
import Foundation
import Pages
import Web

/// A branding as callers and the audit trail see it.
struct BrandingReply: Encodable {
    struct Image: Encodable {
        let url: String
        let media_type: Logo.MediaType
        let size: Int
        let sha256: String
    }

    let object = "branding"
    let display_name: String?
    let color: String?
    /// The color of text on `color`.
    let text_color: String?
    let support_url, privacy_url, terms_url: String?
    let default_language: String?
    let logo: Image?
    /// The settings for which the pages need a compensation.
    let warnings: [Problem.Field]
    let created_at, updated_at: Date

    /// - Parameters:
    ///   - slug: The tenant's slug.
    ///   - publicURL: The URL of this server for browsers, without a slash at its end.
    init(_ branding: Branding, slug: String, publicURL: String) {
        (display_name, color, text_color) = (
            branding.displayName, branding.color?.description, branding.color?.text.description
        )
        (support_url, privacy_url, terms_url) = (branding.supportURL, branding.privacyURL, branding.termsURL)
        default_language = branding.language?.rawValue
        logo = branding.logo.map { logo in
            Image(
                url: publicURL + Branding.path(ofLogo: logo.hash, slug: slug), media_type: logo.mediaType, size: logo.size,
                sha256: logo.digest.hexadecimal)
        }
        warnings = branding.color?.warnings.map { .init("color", $0) } ?? []
        (created_at, updated_at) = (branding.createdAt, branding.updatedAt)
    }
}

extension Color {
    /// The backgrounds of the pages.
    private static let backgrounds = [("light", white), ("dark", Color(red: 0x16, green: 0x16, blue: 0x16))]
    /// The smallest contrast of a button with its surroundings (WCAG 2.2, 1.4.11).
    private static let least = 3.0

    /// A sentence for each mode of the pages in which a button of this color does not stand out from the background.
    ///
    /// Such a color is accepted, because the brand of a company is given, and every yellow is one. A border shows the button then.
    fileprivate var warnings: [String] {
        Self.backgrounds.compactMap { mode, background in
            let contrast = contrast(with: background)
            guard contrast < Self.least else { return nil }
            // Rounded down, so that 2.99 is not shown as 3.0.
            let tenths = Int(contrast * 10)
            return """
                In \(mode) mode, its contrast with the page is \(tenths / 10).\(tenths % 10):1. A button needs 3:1 to stand out, so the \
                pages draw a border around it.
                """
        }
    }
}
