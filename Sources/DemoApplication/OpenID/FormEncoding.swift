import Foundation

/// Encodes names and values for a query and for a form's body (`application/x-www-form-urlencoded`).
///
/// The OpenID client here does not use `Encoding`, because it shows the work of an application outside. A fuzz target compares both.
func formEncoded(_ fields: [(name: String, value: String)]) -> String {
    fields.map { "\(formEncoded($0.name))=\(formEncoded($0.value))" }.joined(separator: "&")
}

/// Encodes one name or value: everything except RFC 3986's unreserved characters becomes a percent code.
func formEncoded(_ text: String) -> String {
    let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    // The result is nil only for lone surrogates, which a Swift string cannot contain.
    return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
}
