import Sessions
import Tenancy

/// The question for the name of a user, with the sealed sign-in that waits for it.
struct NameQuestion {
    let ticket, login: String
    let application: Application
    let address: ReturnAddress

    /// The value of a cookie, for a reload of the page.
    var cookieValue: String { "\(ticket).\(login)" }
}
