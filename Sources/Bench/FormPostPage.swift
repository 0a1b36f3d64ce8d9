import Encoding
import Foundation

/// Apple's page that makes a browser post a code to the Return URL (OAuth 2.0 Form Post Response Mode).
struct FormPostPage {
    /// The path of the Return URL.
    let path: String
    /// The fields that the browser would post.
    let encodedFields: String

    init(html: String) throws {
        guard let action = Self.value(of: "action", in: html[...]), let path = URL(string: action)?.path
        else { throw Stage.Failure("the simulator's page contains no form") }
        self.path = path
        encodedFields = html.components(separatedBy: "<input type=\"hidden\"").dropFirst().compactMap { input in
            guard let name = Self.value(of: "name", in: input[...]), let value = Self.value(of: "value", in: input[...]) else { return nil }
            return "\(name)=\(Form.encode(value))"
        }.joined(separator: "&")
    }

    private static func value(of attribute: String, in html: Substring) -> String? {
        guard let start = html.range(of: " \(attribute)=\"")?.upperBound, let end = html[start...].firstIndex(of: "\"") else { return nil }
        let value = String(html[start..<end])
        guard value.contains("&") else { return value }
        return [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")].reduce(value) { text, entity in
            text.replacingOccurrences(of: entity.0, with: entity.1)
        }
    }
}
