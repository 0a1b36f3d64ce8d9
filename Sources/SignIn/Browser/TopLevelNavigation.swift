import Encoding
import HTTPTypes
import Hummingbird

extension Request {
    /// Whether the browser loads the response as the document of a whole window (Fetch Metadata Request Headers, section 2.1).
    ///
    /// Each sign-in sets cookies. Images, scripts and frames of any page could start many sign-ins in parallel, and their cookies together
    /// exceed the limit of a request header. Apple's page refuses frames, so a sign-in in a frame could not finish anyway.
    ///
    /// A client that sends no such header is accepted. `Sec-Fetch-Mode` does not count, because Node's fetch sends it as well.
    var isTopLevelNavigation: Bool {
        headers[.secFetchDest].map { $0.isSame(as: "document") } ?? true
    }
}

extension HTTPField.Name {
    fileprivate static let secFetchDest = HTTPField.Name("Sec-Fetch-Dest")!
}
