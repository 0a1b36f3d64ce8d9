import Encoding
import HTTPTypes
package import Hummingbird
import Tenancy

extension Request {
    /// Whether a page of this server sends the request, or the person without a page (Fetch Metadata Request Headers, section 2.3; Fetch
    /// Standard, section 3.2, "Origin header"). Each header that the browser sends must say so. A client without both headers is accepted,
    /// because the ticket and its cookie protect every decision.
    /// - Parameter ownURL: the address at which the request arrived: the public URL, or a tenant's own host.
    package func isFromOwnPage(_ ownURL: String) -> Bool {
        if let site = headers[.secFetchSite], !site.isSame(as: "same-origin"), !site.isSame(as: "none") { return false }
        guard let origin = headers[.origin] else { return true }
        return RedirectURI.origin(of: ownURL)?.isSame(as: origin) == true
    }
}

extension HTTPField.Name {
    fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
