import HTTPTypes
import Hummingbird
import Logging

/// Turns the errors of actions into pages for people.
struct RefusalPages: RouterMiddleware {
    typealias Context = BasicRequestContext

    func handle(
        _ request: Request, context: BasicRequestContext, next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let refusal as Refusal {
            context.logger.info("demo: refused", metadata: ["refusal": "\(refusal.title)"])
            return Pages.refusal(title: refusal.title, explanation: refusal.explanation, status: refusal.status)
        } catch let error as any HTTPResponseError {
            guard error.status == .notFound else { throw error }
            return Pages.refusal(title: Refusal.unknownPage.title, explanation: Refusal.unknownPage.explanation, status: .notFound)
        } catch {
            context.logger.error("demo: failed", metadata: ["error": "\(type(of: error))"])
            return Pages.refusal(
                title: "Unexpected error", explanation: "See the demo’s log for the cause.", status: .internalServerError)
        }
    }
}
