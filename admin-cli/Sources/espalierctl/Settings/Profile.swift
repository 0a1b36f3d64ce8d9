/// One installation as a person knows it: where it is, and who they are there.
struct Profile: Codable, Equatable {
    enum CodingKeys: String, CodingKey {
        case baseURL = "base_url"
        case tenant
        case apiKey = "api_key"
        case apiKeyFile = "api_key_file"
    }

    var baseURL: String?
    /// The tenant meant where none is named.
    var tenant: String?
    /// The key itself.
    var apiKey: String?
    /// A file that holds it.
    var apiKeyFile: String?
}
