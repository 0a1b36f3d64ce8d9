package import HTTPTypes
package import Hummingbird
import Web

/// A page that informs a person: the result, and the next step. It has no script and no form, and no page can frame it.
package struct NoticePage: Sendable {
    /// A subject of the page, shown as text. The name is a text of the page or the name of a parameter.
    package struct Fact: Sendable {
        let name: Text?
        let parameter: String
        let value: String

        package init(_ name: Text, _ value: String) { (self.name, parameter, self.value) = (name, "", value) }
        package init(parameter: String, _ value: String) { (name, self.parameter, self.value) = (nil, parameter, value) }

        fileprivate func content(in language: Language) -> [String: String] {
            ["name": name.map { language.text($0) } ?? parameter, "value": value]
        }
    }

    package let title: Text
    package let detail: Text
    /// The next step, and the person who can take it.
    package let remedy: [Text]
    /// The values of the placeholders in all these texts. The title has none.
    package let values: [Text.Placeholder: String]
    package let facts: [Fact]
    /// Subjects below the next step, so that the next step is not about them.
    package let laterFacts: [Fact]
    /// The address of the application's sign-in, for a person who starts again.
    package var loginURL: String?
    /// The text of the link to this address.
    package var loginText = Text.backToTheApplication

    package init(
        title: Text, detail: Text, remedy: [Text], values: [Text.Placeholder: String] = [:], facts: [Fact] = [], laterFacts: [Fact] = [],
        loginURL: String? = nil
    ) {
        (self.title, self.detail, self.remedy, self.values) = (title, detail, remedy, values)
        (self.facts, self.laterFacts, self.loginURL) = (facts, laterFacts, loginURL)
    }

    /// Detail and remedy in English, for a program that sent the request directly.
    package var explanation: String {
        ([detail] + remedy).map { Language.english.text($0, values) }.joined(separator: " ")
    }

    package func response(_ status: HTTPResponse.Status, in frame: PageFrame) -> Response {
        let language = frame.language
        var content: [String: Any] = [
            "title": language.text(title), "detail": frame.content(detail, values),
            "remedy": remedy.map { ["sentence": frame.content($0, values)] },
            "hasFacts": !facts.isEmpty, "facts": facts.map { $0.content(in: language) },
            "hasLaterFacts": !laterFacts.isEmpty, "laterFacts": laterFacts.map { $0.content(in: language) },
            "reference": frame.reference,
        ]
        if let loginURL {
            (content["isReturnable"], content["loginURL"]) = (true, loginURL)
            content["back"] = language.text(loginText)
        }
        return frame.response(Self.template, content, status)
    }

    private static let template = HTMLTemplate.framed(
        """
        <h1>{{title}}</h1>
        <p>{{#detail}}{{>text}}{{/detail}}</p>
        {{#hasFacts}}
        <dl>
        {{#facts}}
        <dt>{{name}}</dt><dd><bdi>{{value}}</bdi></dd>
        {{/facts}}
        </dl>
        {{/hasFacts}}
        <p>{{#remedy}}{{#sentence}}{{>text}}{{/sentence}} {{/remedy}}</p>
        {{#hasLaterFacts}}
        <dl>
        {{#laterFacts}}
        <dt>{{name}}</dt><dd><bdi>{{value}}</bdi></dd>
        {{/laterFacts}}
        </dl>
        {{/hasLaterFacts}}
        {{#isReturnable}}
        <p><a class="button" href="{{loginURL}}">{{back}}</a></p>
        {{/isReturnable}}
        <p><small>{{#reference}}{{>text}}{{/reference}}</small></p>
        """)
}
