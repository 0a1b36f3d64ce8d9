import Foundation

/// A successful response of the REST API.
struct Reply {
    /// The body exactly as the server wrote it. Empty for a 204.
    var text: String
    /// The decoded body. Null for a 204.
    var json: JSON
    /// The version of the resource (`ETag`).
    var entityTag: String?
}

extension Failure {
    /// The response does not have the expected form.
    static func shape(requestID: String? = nil) -> Failure {
        Failure(
            status: .failure, detail: "The response is not a response of Espalier's REST API.", requestID: requestID,
            nextStep: "Check that the base URL belongs to Espalier, and that espalierctl is not much older than the server.")
    }
}
