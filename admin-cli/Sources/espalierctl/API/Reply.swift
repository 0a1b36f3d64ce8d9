import Foundation

/// An answer of the REST API.
struct Reply {
    /// As the server wrote it; empty where it had nothing to say (204).
    var text: String
    /// The same, understood; null for nothing.
    var json: JSON
    /// The version of the resource.
    var entityTag: String?
}

extension Failure {
    /// The answer lacks what such an answer has.
    static func shape(requestID: String? = nil) -> Failure {
        Failure(
            status: .failure, detail: "The answer isn't what Espalier's REST API would say.", requestID: requestID,
            nextStep: "Check that the base URL is Espalier's, and that espalierctl isn't much older than it.")
    }
}
