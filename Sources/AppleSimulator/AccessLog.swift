import Hummingbird
import Logging

/// A line for each request at debug level: the path without its query, where state and nonce are.
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
