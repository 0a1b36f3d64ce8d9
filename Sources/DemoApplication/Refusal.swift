import HTTPTypes

/// The reason why a request ends with an error page.
enum Refusal: Error, Equatable {
    case unknownPage
    /// `script/docs` has not built the documentation site into this folder.
    case missingDocumentation(folder: String)
    case missingSpecification(file: String)
    /// A sign-in returned for a tenant without settings in the demo, such as a tenant onboarded with espalierctl.
    case unknownTenant
    /// No recent sign-in with this `state` was started in this browser.
    case unknownLogin
    /// The `iss` of the response is not the tenant's issuer (RFC 9207).
    case otherIssuer
    /// The person pressed Cancel.
    case cancelled
    /// Espalier's error code (RFC 6749, sections 4.1.2.1 and 5.2).
    case refused(code: String)
    /// A response of Espalier violates the protocol.
    case unexpectedAnswer(from: String)
    case unreachable(String)
    /// The id_token fails a check (OpenID Connect Core, 3.1.3.7).
    case wrongIDToken(IDToken.Fault)

    var status: HTTPResponse.Status {
        switch self {
        case .unknownPage, .missingDocumentation, .missingSpecification, .unknownTenant: .notFound
        case .unknownLogin, .otherIssuer: .badRequest
        case .cancelled: .ok
        case .refused, .unexpectedAnswer, .unreachable, .wrongIDToken: .badGateway
        }
    }

    var title: String {
        switch self {
        case .unknownPage: "Page not found"
        case .missingDocumentation: "The documentation is not built"
        case .missingSpecification: "The specification is missing"
        case .unknownTenant: "The demo does not know this tenant"
        case .unknownLogin: "This sign-in was not started here"
        case .otherIssuer: "The response came from another issuer"
        case .cancelled: "You cancelled"
        case .refused: "The sign-in was refused"
        case .unexpectedAnswer: "The response is invalid"
        case .unreachable: "Espalier can’t be reached"
        case .wrongIDToken: "The id_token can’t be trusted"
        }
    }

    var explanation: String {
        switch self {
        case .unknownPage: "Start at the first page."
        case .missingDocumentation(let folder):
            "The folder \(folder) has no index.html. Run script/docs in the project’s folder. Then load this page again."
        case .missingSpecification(let file): "The file \(file) is not readable. Start espalier-dev in the project’s folder."
        case .unknownTenant:
            "Espalier sent the browser here after a sign-in. The demo has no settings for this tenant and does not continue the sign-in. "
                + "If espalierctl asks for an address, copy the address of this page."
        case .unknownLogin: "It was started in another browser or too long ago, or it is already finished. Start again."
        case .otherIssuer: "The response has another issuer than the sign-in, so the code was not used. Start again."
        case .cancelled: "You are not signed in, and nothing is charged."
        case .refused(let code): "Espalier returned “\(code)”. Start again. If the error remains, see Espalier’s log."
        case .unexpectedAnswer(let source): "The response of \(source) violates OpenID Connect. See its log."
        case .unreachable(let address): "\(address) did not respond in time. Try again in a moment."
        case .wrongIDToken(let fault): fault.explanation
        }
    }
}
