import Mustache

/// A page or a part of a page, in Mustache. `{{…}}` inserts text escaped by `escapedForHTML`. Attributes have double
/// quotes.
///
/// Mustache's own escape works by `Character` and does not escape all markup. So every page is an `HTMLTemplate`, and no other
/// file imports Mustache.
package struct HTMLTemplate: Sendable {
    private let template: MustacheTemplate
    private let partials: MustacheLibrary?

    /// - Parameters:
    ///   - source: A constant of the program. The first test that shows the page finds a constant that does not parse.
    ///   - partials: The texts that `{{>name}}` inserts, by name.
    package init(_ source: String, partials: [String: String] = [:]) {
        template = Self.parse(source)
        self.partials = partials.isEmpty ? nil : MustacheLibrary(templates: partials.mapValues(Self.parse))
    }

    package func render(_ content: Any) -> String {
        template.render(content, library: partials)
    }

    /// Every source sets the content type, because Mustache starts a partial with its own.
    private static func parse(_ source: String) -> MustacheTemplate {
        try! MustacheTemplate(string: "{{% CONTENT_TYPE: \(contentType)}}\(source)")
    }

    /// Registered before the first template is parsed.
    private static let contentType: String = {
        let name = "ESPALIER_HTML"
        MustacheContentTypes.register(EscapedText(), named: name)
        return name
    }()

    private struct EscapedText: MustacheContentType {
        func escapeText(_ text: String) -> String { text.escapedForHTML }
    }
}
