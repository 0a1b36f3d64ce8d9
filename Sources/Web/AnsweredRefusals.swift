package import Hummingbird

/// Turns a refusal that has a form of its own into its response. So `Idempotency`, around it, stores the refusal as the caller sees it.
package struct AnsweredRefusals<Context: RecordedContext>: RouterMiddleware {
    package init() {}

    package func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let refusal as any HTTPResponseError {
            return try refusal.response(from: request, context: context)
        }
    }
}
