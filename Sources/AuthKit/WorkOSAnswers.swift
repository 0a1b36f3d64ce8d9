package import HTTPTypes
package import Hummingbird
import NIOCore
package import Web

/// Gives the responses of a group of routes the form that WorkOS's clients expect: each has its request ID in `X-Request-ID`, and a
/// problem has WorkOS's members. Pages and OAuth errors do not change.
package struct WorkOSAnswers<Context: RecordedContext>: RouterMiddleware {
    package init() {}

    package func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        context.record.note(header: .xRequestID, context.record.current.requestID)
        do {
            return try await next(request, context)
        } catch let problem as Problem {
            throw WorkOSError(problem)
        } catch is NIOTooManyBytesError {
            throw WorkOSError(Problem(.tooLarge, "The body is too large. Send up to 65536 bytes."))
        }
    }
}

extension HTTPField.Name {
    package static let xRequestID = HTTPField.Name("X-Request-ID")!
}
