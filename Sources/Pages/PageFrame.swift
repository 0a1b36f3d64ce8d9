import Crypto
import Foundation
package import HTTPTypes
package import Hummingbird
package import Web

/// The frame of a page for people: its language, the look of the tenant, and the rules for the browser.
package struct PageFrame: Sendable {
    package let language: Language
    let brand: Brand?
    let requestID: String
    /// Whether another `Accept-Language` may lead to another language.
    private let varies: Bool

    /// The frame of the response to a request. The language is that of `ui_locales`, else of the browser, else of the tenant, else English.
    /// - Parameters:
    ///   - brand: The look of the tenant; nil if the tenant is unknown.
    ///   - requestID: The reference of the page.
    ///   - language: The tag of the language of a request that does not have `ui_locales` in its query.
    package init(_ request: Request, _ brand: Brand?, requestID: String, language tag: String? = nil) {
        let asked = tag.flatMap { Language(rawValue: $0) } ?? request.askedLanguage
        (self.brand, self.requestID, varies) = (brand, requestID, asked == nil)
        language = asked ?? request.acceptedLanguage ?? brand?.language ?? .english
    }

    /// The query of a form's address that keeps the language of the page, if the person asked for it. Otherwise the browser names it again.
    package var query: String { varies ? "" : "?ui_locales=\(language.rawValue)" }

    /// The name of the tenant, if it has terms and a privacy policy that a user agrees to.
    package var termsAreOf: String? {
        brand.flatMap { $0.termsURL == nil || $0.privacyURL == nil ? nil : $0.name }
    }

    /// The response with a page.
    /// - Parameters:
    ///   - template: From `HTMLTemplate.framed`.
    ///   - content: The values for the main part of the template.
    ///   - forms: The permitted targets of its forms.
    ///   - frames: The permitted sources of its frames; nil for no frames.
    ///   - script: The script of the template, which its hash permits; nil for no script.
    package func response(
        _ template: HTMLTemplate, _ content: [String: Any], _ status: HTTPResponse.Status = .ok, forms: String = "'none'",
        frames: String? = nil, script: String? = nil, referrerPolicy: String = "no-referrer"
    ) -> Response {
        var content = content.merging(rootContent) { mine, _ in mine }
        let accent = brand?.color.map { ":root { --accent: \($0); --on-accent: \($0.text) }" }
        let sources = [Self.styleSource] + (accent.map { [PagePolicy.source(ofInline: $0)] } ?? [])
        let policy = PagePolicy(
            style: sources.joined(separator: " "), script: script.map(PagePolicy.source(ofInline:)), frames: frames, forms: forms)
        content["policy"] = policy.meta
        if let accent { (content["isColored"], content["accent"]) = (true, accent) }
        if let brand {
            (content["isBranded"], content["brand"]) = (true, brand.name)
            if let logo = brand.logo { (content["hasLogo"], content["logo"]) = (true, logo) }
            let links: [(Text, String?)] = [(.getHelp, brand.supportURL), (.privacy, brand.privacyURL), (.terms, brand.termsURL)]
            let shown = links.compactMap { text, url in url.map { ["label": language.text(text), "url": $0] } }
            (content["hasLinks"], content["links"]) = (!shown.isEmpty, shown)
        }
        var response = Response.page(template.render(content), status, policy: policy, referrerPolicy: referrerPolicy)
        note(languageIn: &response)
        return response
    }

    /// The attributes of a root element, in a template whose content has `rootContent`.
    package static let root = #"lang="{{language}}" dir="{{direction}}""#
    package var rootContent: [String: Any] { ["language": language.rawValue, "direction": language.isRightToLeft ? "rtl" : "ltr"] }

    /// Adds the headers about the language.
    package func note(languageIn response: inout Response) {
        response.headers[.contentLanguage] = language.rawValue
        if varies { response.headers[.vary] = "Accept-Language" }
    }

    /// A text as the content of `{{>text}}`. Values stand apart, so that they do not change the direction of the text.
    package func content(_ text: Text, _ values: [Text.Placeholder: String] = [:]) -> [[String: Any]] {
        language.pieces(text, values).map { piece in
            switch piece {
            case .words(let words): ["words": words]
            case .value(let value): ["isValue": true, "value": value]
            }
        }
    }

    /// The reference of the page, which is also in the log.
    package var reference: [[String: Any]] { content(.reference, [.reference: requestID]) }

    private static let styleSource = PagePolicy.source(ofInline: style)
}

extension PagePolicy {
    /// The source that allows one script or stylesheet of the page (Content Security Policy Level 3, section 2.3.1).
    package static func source(ofInline text: String) -> String {
        "'sha256-\(Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString())'"
    }
}

extension HTMLTemplate {
    /// A page in a `PageFrame`. `{{#detail}}{{>text}}{{/detail}}` inserts a text of `PageFrame.content`.
    /// - Parameters:
    ///   - main: The content of `<main>`, with its heading.
    ///   - script: The one script of the page, without `{{` and `</`. The response must name it too.
    package static func framed(_ main: String, script: String? = nil) -> HTMLTemplate {
        let element = script.map { "\n<script>\($0)</script>" } ?? ""
        return page(
            titled: "{{title}}", style: PageFrame.style, root: PageFrame.root,
            """
            {{#isColored}}
            <style>{{accent}}</style>
            {{/isColored}}
            {{#isBranded}}
            <header>
            {{#hasLogo}}
            <img src="{{logo}}" alt="{{brand}}">
            {{/hasLogo}}
            {{^hasLogo}}
            <p><bdi>{{brand}}</bdi></p>
            {{/hasLogo}}
            </header>
            {{/isBranded}}
            <main>
            \(main)
            </main>\(element)
            {{#hasLinks}}
            <footer>
            <ul>
            {{#links}}
            <li><a href="{{url}}">{{label}}</a></li>
            {{/links}}
            </ul>
            </footer>
            {{/hasLinks}}
            """,
            partials: ["text": "{{words}}{{#isValue}}<bdi>{{value}}</bdi>{{/isValue}}"])
    }
}

extension HTTPField.Name {
    static let contentLanguage = HTTPField.Name("Content-Language")!
}
