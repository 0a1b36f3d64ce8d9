import Foundation

/// The claims of an id_token, each as its JSON text. They are valid unless a test changes them.
struct Claims: Sendable {
    /// The time at which the tests' tokens were issued.
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let audience = "com.example.web"
    static let subject = "000123.0123456789abcdef0123456789abcdef.0456"
    static let nonce = "n-7f3a"

    private var values: [String: String] = [
        "iss": #""https://appleid.apple.com""#,
        "aud": #""com.example.web""#,
        "sub": #""000123.0123456789abcdef0123456789abcdef.0456""#,
        "iat": "1800000000",
        "exp": "1800086400",
        "nonce": #""n-7f3a""#,
        "nonce_supported": "true",
        "email": #""ada@example.com""#,
        "email_verified": #""true""#,
        "auth_time": "1800000000",
        "at_hash": #""HVjyjGDPCqZLvJPAMmcVXQ""#,
    ]

    /// - Parameter changes: JSON for the claims that differ; nil removes a claim.
    init(_ changes: [String: String?] = [:]) {
        for (name, json) in changes { values[name] = json }
    }

    var json: String {
        "{" + values.map { #""\#($0)":\#($1)"# }.joined(separator: ",") + "}"
    }
}
