import Encoding
import HTTPTypes
import Hummingbird

extension Problem {
    /// Returns the error in the form for the caller: a page for a person who opens an address, JSON for a program.
    ///
    /// The REST API always responds in JSON.
    func answer(to request: Request, requestID: String) -> Response {
        let isOpened = (request.method == .get || request.method == .head) && request.acceptsHTML
        guard isOpened, request.uri.path.parts(at: "/").first?.isSame(as: "v1") != true, let page
        else { return response(instance: request.uri.path, requestID: requestID) }
        var response = page.response(code.status, requestID: requestID)
        for field in headers { response.headers[field.name] = field.value }
        return response
    }

    private var page: NoticePage? {
        switch code {
        case .notFound:
            NoticePage(
                title: "There is no page at this address", detail: "You opened an address that this server does not have.",
                remedy: "Check the address. If you were signing in, go back to the application and sign in again.")
        case .methodNotAllowed:
            NoticePage(
                title: "This address is not a page",
                detail: "Programs send data to this address, for example during a sign-in. A browser cannot open it.",
                remedy: "If you were signing in, go back to the application and sign in again.")
        case .rateLimited, .unavailable, .unexpected:
            NoticePage(title: code.title, detail: detail, remedy: "Try again in a few minutes.")
        default: nil
        }
    }
}
