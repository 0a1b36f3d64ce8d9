package import Hummingbird
import Tenancy
import Web

extension Request {
    /// Whether a page of this server sends the request, or the person without a page. The ticket of the page and its cookie protect every
    /// decision.
    /// - Parameter ownURL: the address at which the request arrived: the public URL, or a tenant's own host.
    package func isFromOwnPage(_ ownURL: String) -> Bool { isFromPage(at: RedirectURI.origin(of: ownURL)) }
}
