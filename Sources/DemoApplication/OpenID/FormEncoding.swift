import Foundation

/// Names and values as they stand in a query and in a form's body (`application/x-www-form-urlencoded`).
func formEncoded(_ fields: [(name: String, value: String)]) -> String {
    fields.map { "\(formEncoded($0.name))=\(formEncoded($0.value))" }.joined(separator: "&")
}

/// One name or value: all but RFC 3986's unreserved characters as percent codes.
func formEncoded(_ text: String) -> String {
    let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    // Nil is only for lone surrogates, which a Swift string can't hold.
    return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
}
