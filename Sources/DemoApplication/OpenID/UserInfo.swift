/// What the userinfo endpoint tells of a person (OpenID Connect Core, 5.1). Apple's users need not share a name or an address.
struct UserInfo: Decodable, Sendable {
    enum CodingKeys: String, CodingKey {
        case name, email
        case subject = "sub"
    }

    var subject: String
    var name: String?
    var email: String?
}
