import Encoding
import Hummingbird
import NIOCore
import Sessions
import Web

/// The texts of a request to authenticate, from JSON or from a form. Members without a meaning here are ignored, because WorkOS's clients
/// send details of the device.
struct AuthenticationRequest: Sendable {
    private let form: Form

    init(_ request: Request, upTo limit: Int) async throws {
        switch request.mediaType {
        case "application/json":
            let body = try await request.body.whole(upTo: limit)
            guard case .object(let members)? = try? JSONValue(json: Array(body.readableBytesView))
            else { throw OAuthError(.invalidRequest, "The body must be a JSON object.") }
            var text = ""
            for name in Self.names {
                guard let value = members[name], value != .null else { continue }
                guard case .string(let value) = value else { throw OAuthError(.invalidRequest, "\(name) must be a string.") }
                text += "&\(name)=\(Form.encode(value))"
            }
            form = try Form(text)
        case "application/x-www-form-urlencoded":
            do { form = try await Form(request.body, upTo: limit) } catch is Form.Refusal {
                throw OAuthError(.invalidRequest, "A parameter is malformed or appears more than once.")
            }
        default:
            throw OAuthError(.invalidRequest, "Send the parameters as application/json or application/x-www-form-urlencoded.")
        }
    }

    private static let names = [
        "grant_type", "client_id", "client_secret", "code", "code_verifier", "refresh_token", "device_code", "organization_id",
        "invitation_token",
    ]

    subscript(_ name: String) -> String? { form[name] }

    func require(_ name: String) throws(OAuthError) -> String {
        guard let value = form[name] else { throw OAuthError(.invalidRequest, "\(name) is missing.") }
        return value
    }

    /// The credentials of an application as an OAuth form.
    func credentials(of application: String) throws -> Form {
        try Form(Form.encode(["client_id": application, "client_secret": form["client_secret"]]))
    }
}
