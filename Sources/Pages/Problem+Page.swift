import Encoding
package import Hummingbird
package import Web

extension Problem {
    /// The error as a page, for a person who opens an address. Nil for a program, and for any caller of the REST API.
    package func page(for request: Request, requestID: String) -> Response? {
        let isOpened = (request.method == .get || request.method == .head) && request.acceptsHTML
        let place = request.uri.path.parts(at: "/").first
        guard isOpened, place?.isSame(as: "v1") != true, let notice = notice(ofAccount: place?.isSame(as: "account") == true)
        else { return nil }
        var response = notice.response(code.status, in: PageFrame(request, nil, requestID: requestID))
        for field in headers { response.headers[field.name] = field.value }
        return response
    }

    /// - Parameter isOfAccount: whether the address is below that of the own account, to which the page then leads.
    private func notice(ofAccount isOfAccount: Bool) -> NoticePage? {
        switch code {
        case .notFound where isOfAccount:
            NoticePage(title: .noPageAtThisAddress, detail: .addressDoesNotExist, remedy: [.checkTheAddress]).leadingToAccount
        case .methodNotAllowed where isOfAccount:
            NoticePage(title: .addressIsNotAPage, detail: .programsUseTheAddress, remedy: [.openThePageAgain]).leadingToAccount
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

extension NoticePage {
    fileprivate var leadingToAccount: NoticePage {
        var page = self
        (page.loginURL, page.loginText) = ("/account", .backToYourAccount)
        return page
    }
}
