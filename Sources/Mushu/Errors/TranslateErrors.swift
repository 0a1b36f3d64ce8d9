package import Access
package import Hummingbird
import Sessions
import Tenancy
import Web

/// Gives refusals Mushu's form. It runs around the limit of failed requests, which counts the original error. It does not change pages
/// and redirects.
struct TranslateErrors: RouterMiddleware {
    typealias Context = WebContext

    let endpoints: TenantEndpoints

    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        try await Refusal.translating {
            try await endpoints.reportingOutage(context) { try await next(request, context) }
        }
    }
}

/// The same for the operations with an API key. It runs around the authentication.
package struct TranslateCallErrors: RouterMiddleware {
    package typealias Context = CallContext

    package init() {}

    package func handle(
        _ request: Request, context: CallContext, next: (Request, CallContext) async throws -> Response
    ) async throws -> Response {
        try await Refusal.translating { try await next(request, context) }
    }
}

extension Refusal {
    fileprivate static func translating(_ body: () async throws -> Response) async throws -> Response {
        do {
            return try await body()
        } catch let error as OAuthError {
            throw Refusal(error)
        } catch let problem as Problem {
            throw Refusal(problem)
        }
    }
}
