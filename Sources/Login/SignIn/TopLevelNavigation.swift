import HTTPTypes
import Hummingbird
import Tenancy
import Web

extension Request {
    /// Whether the browser loads the answer as the document of a whole window (Fetch Metadata Request Headers, sections 2.1 and 2.2).
    ///
    /// Each sign-in sets cookies. Images, scripts and frames of any page could start many in parallel, and their cookies together are more
    /// than a request header may have. Apple's page refuses frames, so a sign-in in one could not end anyway.
    ///
    /// A browser that sends no such header, and any other client, counts as one that does.
    var isTopLevelNavigation: Bool {
        [(HTTPField.Name.secFetchMode, "navigate"), (.secFetchDest, "document")].allSatisfy { name, expected in
            headers[name].map { $0.isSame(as: expected) } ?? true
        }
    }
}

extension HTTPField.Name {
    fileprivate static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    fileprivate static let secFetchDest = HTTPField.Name("Sec-Fetch-Dest")!
}
