/// The settings for one installation: its address, the API key and the default tenant.
struct Profile: Codable, Equatable {
    enum CodingKeys: String, CodingKey {
        case baseURL = "base_url"
        case tenant
        case apiKey = "api_key"
        case apiKeyFile = "api_key_file"
    }

    var baseURL: String?
    /// The tenant of commands that name none.
    var tenant: String?
    /// The text of the API key.
    var apiKey: String?
    /// A file that contains the API key.
    var apiKeyFile: String?
}
