import Mustache

/// A page or a part of one, in Mustache. `{{…}}` writes text escaped by `escapedForHTML`; attributes have double quotes.
///
/// Mustache's own escape works by `Character` and lets markup through. So every page is one of these, and no other file imports
/// Mustache.
package struct HTMLTemplate: Sendable {
    private let template: MustacheTemplate
    private let partials: MustacheLibrary?

    /// - Parameters:
    ///   - source: a constant of the program. The first test that shows the page finds a constant that does not parse.
    ///   - partials: what `{{>name}}` inserts, by name.
    package init(_ source: String, partials: [String: String] = [:]) {
        template = Self.parse(source)
        self.partials = partials.isEmpty ? nil : MustacheLibrary(templates: partials.mapValues(Self.parse))
    }

    package func render(_ content: Any) -> String {
        template.render(content, library: partials)
    }

    /// Each source names the content type, because Mustache begins a partial with its own.
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
