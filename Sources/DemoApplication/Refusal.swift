import HTTPTypes

/// Why a request ends with an explanation instead of what was asked for.
enum Refusal: Error, Equatable {
    case unknownPage
    /// A sign-in came back for a tenant that the demo has no settings for, such as one that was onboarded with espalierctl.
    case unknownTenant
    /// No sign-in with this `state` was begun in this browser lately.
    case unknownLogin
    /// The answer's `iss` is not the tenant's issuer (RFC 9207).
    case otherIssuer
    /// The person pressed Cancel.
    case cancelled
    /// Espalier's error code (RFC 6749, sections 4.1.2.1 and 5.2).
    case refused(code: String)
    /// Something Espalier answered is not what the protocol promises.
    case unexpectedAnswer(from: String)
    case unreachable(String)
    /// The id_token fails a check (OpenID Connect Core, 3.1.3.7).
    case wrongIDToken(IDToken.Fault)

    var status: HTTPResponse.Status {
        switch self {
        case .unknownPage, .unknownTenant: .notFound
        case .unknownLogin, .otherIssuer: .badRequest
        case .cancelled: .ok
        case .refused, .unexpectedAnswer, .unreachable, .wrongIDToken: .badGateway
        }
    }

    var title: String {
        switch self {
        case .unknownPage: "There is no such page"
        case .unknownTenant: "The demo does not know this tenant"
        case .unknownLogin: "This sign-in was not begun here"
        case .otherIssuer: "The answer came from someone else"
        case .cancelled: "You cancelled"
        case .refused: "The sign-in was refused"
        case .unexpectedAnswer: "The answer makes no sense"
        case .unreachable: "Espalier can’t be reached"
        case .wrongIDToken: "The id_token can’t be trusted"
        }
    }

    var explanation: String {
        switch self {
        case .unknownPage: "Begin at the first page."
        case .unknownTenant:
            "Espalier sent the browser here after a sign-in. The demo has no settings for this tenant and leaves the sign-in alone. "
                + "If espalierctl asks for an address, copy the address of this page."
        case .unknownLogin: "It was begun in another browser, too long ago, or has already been finished. Begin again."
        case .otherIssuer: "The sign-in was begun with another issuer than the one that answered, so the code was not used."
        case .cancelled: "Nothing happened, and nothing will be charged."
        case .refused(let code): "Espalier answered “\(code)”. Begin again; if it stays so, its log says more."
        case .unexpectedAnswer(let source): "What \(source) answered is not what OpenID Connect promises. Its log may say why."
        case .unreachable(let address): "\(address) did not answer in time. Try again in a moment."
        case .wrongIDToken(let fault): fault.explanation
        }
    }
}
