package import HTTPTypes
package import Hummingbird

/// The error in a registry file or in the body of a `/simulator/` request, with its position.
package struct RegistryError: Error, CustomStringConvertible {
    /// The field, such as `teams[0].keys[1].public_key`; empty for the whole document.
    package let path: String
    package let reason: String
    /// The status of the HTTP response.
    package let status: HTTPResponse.Status

    init(path: String = "", _ reason: String, status: HTTPResponse.Status = .badRequest) {
        self.path = path
        self.reason = reason
        self.status = status
    }

    package var description: String {
        path.isEmpty ? "The document \(reason)." : "\(path) \(reason)."
    }
}

extension RegistryError: HTTPResponseError {
    package func response(from request: Request, context: some RequestContext) throws -> Response {
        .json(["error": .string(description), "field": path.isEmpty ? .null : .string(path)], status: status)
    }
}
