import Encoding
package import Hummingbird
package import Web

extension Problem {
    /// The error as a page, for a person who opens an address. Nil for a program, and for any caller of the REST API.
    package func page(for request: Request, requestID: String) -> Response? {
        let isOpened = (request.method == .get || request.method == .head) && request.acceptsHTML
        guard isOpened, request.uri.path.parts(at: "/").first?.isSame(as: "v1") != true, let notice else { return nil }
        var response = notice.response(code.status, in: PageFrame(request, nil, requestID: requestID))
        for field in headers { response.headers[field.name] = field.value }
        return response
    }

    private var notice: NoticePage? {
        switch code {
        case .notFound:
            NoticePage(title: .noPageAtThisAddress, detail: .addressDoesNotExist, remedy: [.checkTheAddressOrSignInAgain])
        case .methodNotAllowed:
            NoticePage(title: .addressIsNotAPage, detail: .programsUseTheAddress, remedy: [.ifYouWereSigningIn])
        case .rateLimited:
            NoticePage(title: .tooManyRequests, detail: .tooManyRequestsOfTheNetwork, remedy: [.tryAgainInMinutes])
        case .unavailable:
            NoticePage(title: .serviceIsUnavailable, detail: .partOfTheServiceIsDown, remedy: [.tryAgainInMinutes])
        case .unexpected:
            NoticePage(title: .unexpectedError, detail: .pageCannotBeShown, remedy: [.tryAgainInMinutes])
        default: nil
        }
    }
}
