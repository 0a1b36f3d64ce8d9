import Hummingbird
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
        do {
            return try await endpoints.reportingOutage(context) { try await next(request, context) }
        } catch let error as OAuthError {
            throw Refusal(error)
        } catch let problem as Problem {
            throw Refusal(problem)
        }
    }
}
