import HTTPTypes
import Hummingbird
import Web

extension Request {
    /// Whether the browser loads the answer as the document of a whole window (Fetch Metadata Request Headers, section 2.1).
    ///
    /// Each sign-in sets cookies. Images, scripts and frames of any page could start many in parallel, and their cookies together are more
    /// than a request header may have. Apple's page refuses frames, so a sign-in in one could not end anyway.
    ///
    /// A client that sends no such header is accepted. `Sec-Fetch-Mode` does not count, because Node's fetch sends it as well.
    var isTopLevelNavigation: Bool {
        headers[.secFetchDest].map { $0.isSame(as: "document") } ?? true
    }
}

extension HTTPField.Name {
    fileprivate static let secFetchDest = HTTPField.Name("Sec-Fetch-Dest")!
}
