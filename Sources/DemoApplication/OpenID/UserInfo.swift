/// A person's claims from the userinfo endpoint (OpenID Connect Core, 5.1). Apple's users may withhold their name or address.
struct UserInfo: Decodable, Sendable {
    enum CodingKeys: String, CodingKey {
        case name, email
        case subject = "sub"
    }

    var subject: String
    var name: String?
    var email: String?
}
