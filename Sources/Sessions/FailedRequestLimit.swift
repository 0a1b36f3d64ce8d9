package import Access
import HTTPTypes
package import Hummingbird
import Pages
package import Web

/// Charges failed requests of unauthenticated callers to their address, and responds with 429 when the address has used up its limit. It is
/// the same limit as below `/v1` (`RequestLimits`).
///
/// Failures are an unknown tenant, an unknown client ID, a wrong secret, an invalid code or token, and an unreadable request. These are not
/// charged:
/// - a request that succeeds, and an error that the application receives at its redirect URI;
/// - any request of an application that authenticated with its secret;
/// - a device that polls for its user's decision, and a DPoP proof without a fresh nonce;
/// - a failure of this server or of Apple.
///
/// Only failures are refused. When an address has used up its limit, a valid request to a known tenant still succeeds.
package struct FailedRequestLimit: RouterMiddleware {
    package typealias Context = WebContext

    /// The form of a route's refusal.
    package enum Form: Sendable {
        /// A page for a person in a browser.
        case page
        /// JSON for an OAuth library (RFC 6749, section 5.2).
        case oauth
        /// JSON for an application on a device, a page for anyone else.
        case callback
        case problem
    }

    let limits: RequestLimits
    let form: Form

    package init(limits: RequestLimits, form: Form) {
        (self.limits, self.form) = (limits, form)
    }

    package func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        do {
            do {
                return try await next(request, context)
            } catch {
                if isFailure(error), !context.record.current.isAuthenticated { try limits.charge(context.record) }
                throw error
            }
        } catch let limit as TooManyRequests {
            throw refusal(limit, request)
        }
    }

    /// Whether the caller caused the error, and no application receives it.
    private func isFailure(_ error: any Error) -> Bool {
        switch error {
        case let page as ErrorPage: page.status.kind == .clientError
        case let error as OAuthError: error.status.kind == .clientError && !error.isExpected
        case let problem as Problem: problem.code.status.kind == .clientError
        default: false
        }
    }

    private func refusal(_ limit: TooManyRequests, _ request: Request) -> any Error {
        switch form {
        case .page: ErrorPage.tooManyRequests(limit)
        case .oauth: OAuthError.tooManyRequests(limit)
        case .callback where request.mediaType == "application/json": OAuthError.tooManyRequests(limit)
        case .callback: ErrorPage.tooManyRequests(limit)
        case .problem: Problem.tooManyFailures
        }
    }
}

extension Problem {
    static let tooManyFailures = Problem(
        .rateLimited, "Too many requests from this address have failed. Retry after the seconds in `Retry-After`.")
}

extension ErrorPage {
    fileprivate static func tooManyRequests(_ limit: TooManyRequests) -> ErrorPage {
        ErrorPage(
            outcome: Problem.Code.rateLimited.rawValue, status: .tooManyRequests, title: .tooManyFailedRequests,
            detail: .tooManyFailuresOfTheNetwork, remedy: .waitAndSignInAgain, values: [.seconds: "\(limit.retryAfter)"])
    }
}

extension OAuthError {
    fileprivate static func tooManyRequests(_ limit: TooManyRequests) -> OAuthError {
        var error = OAuthError(
            .temporarilyUnavailable,
            "Too many requests from this address have failed. Retry after \(limit.wait), with valid credentials.")
        error.isRateLimited = true
        return error
    }
}

extension RouteCollection<WebContext> {
    /// Routes with the limit of unauthenticated callers, which refuse in this form.
    package func limited(_ form: FailedRequestLimit.Form, _ limits: RequestLimits) -> RouterGroup<WebContext> {
        group().add(middleware: FailedRequestLimit(limits: limits, form: form))
    }
}
