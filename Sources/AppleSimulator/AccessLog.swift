import Hummingbird
import Logging

/// Logs a line for each request at debug level. The path is without its query, which contains state and nonce.
struct AccessLog: RouterMiddleware {
    func handle(
        _ request: Request, context: SimulatorContext, next: (Request, SimulatorContext) async throws -> Response
    ) async throws -> Response {
        do {
            let response = try await next(request, context)
            log(request, context, "\(response.status.code)")
            return response
        } catch {
            log(request, context, "\(error)")
            throw error
        }
    }

    private func log(_ request: Request, _ context: SimulatorContext, _ outcome: @autoclosure () -> String) {
        context.logger.debug(
            "Request",
            metadata: ["method": "\(request.method.rawValue)", "path": "\(request.uri.path)", "outcome": "\(outcome())"])
    }
}
