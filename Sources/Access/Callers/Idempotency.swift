package import Foundation
import HTTPTypes
package import Hummingbird
package import Logging
import NIOCore
package import Postgres
package import Sealing
import Web

/// `Idempotency-Key`: a POST that is sent again, because its answer was lost, is not carried out again.
///
/// The first request with a key takes a row for it, by caller, key, method and path, and keeps its answer there for a day: status,
/// headers and body, sealed, since it may hold a secret that is shown once. The same request then gets that answer with
/// `Idempotent-Replayed: true`; one with another body is refused (422), and so is one that comes while the first is still at work
/// (409). The row is taken by an upsert: of any number of racing requests one gets it.
///
/// Refusals are kept as well, except where nothing was tried, and the same request may well succeed later: 412, 415, 428, 429,
/// and everything from 500. A tenant has a limited number of rows (429), and a response is kept up to 64 KiB.
///
/// **What this cannot promise.** The answer is stored after the action's own transaction, not in it. If the process is killed, or
/// loses the database, between the two, what was done stays done and its answer is unknown: the row stays locked for a minute, and
/// the request, sent again after that, is carried out again. So it is where an action fails after its commit, which frees the row
/// at once. What has a unique name (a tenant's slug) is then refused with 409; what has none (an API key, whose secret nobody saw)
/// is there twice, and both are in the audit trail, under their request ids.
package struct Idempotency: RouterMiddleware {
    package typealias Context = CallContext

    /// As much as any action reads, in bytes.
    private static let bodyLimit = 64 * 1024

    private let pool: DatabasePool
    private let keyring: Keyring
    private let logger: Logger
    private let now: @Sendable () -> Date

    package init(pool: DatabasePool, keyring: Keyring, logger: Logger, now: @escaping @Sendable () -> Date) {
        (self.pool, self.keyring, self.logger, self.now) = (pool, keyring, logger, now)
    }

    package func handle(
        _ request: Request, context: CallContext, next: (Request, CallContext) async throws -> Response
    ) async throws -> Response {
        // Who may not act here is refused further in, and leaves no row.
        guard request.method == .post, let key = request.headers[.idempotencyKey], let caller = context.caller,
            Self.mayAct(caller, context)
        else { return try await next(request, context) }
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw Problem.invalid(.init("Idempotency-Key", "It must have 1 to 255 visible ASCII characters, for example a random UUID."))
        }
        var request = request
        let body = try await request.body.whole(upTo: Self.bodyLimit)
        request.body = RequestBody(buffer: body)
        let claim = IdempotentRequest(
            key: key, method: request.method.rawValue, path: request.head.path ?? "", body: Array(body.readableBytesView), by: caller,
            keyring: keyring, at: now())
        let database = OwnerDatabase(pool, owner: caller.owner)

        switch try await claim.take(in: database, keyring: keyring) {
        case .answered(let answer):
            context.record.note(outcome: "replayed")
            var response = answer.response
            response.headers[.idempotentReplayed] = "true"
            return response
        case .anotherBody:
            throw Problem(.idempotencyKeyReused, "This `Idempotency-Key` came with another body before. Use a new one for a new request.")
        case .running:
            var problem = Problem(.requestRunning, "The first request with this `Idempotency-Key` is still at work. Ask again in a moment.")
            problem.headers[.retryAfter] = "1"
            throw problem
        case .full(let seconds):
            var problem = Problem(
                .rateLimited,
                """
                The tenant has \(IdempotentRequest.mostOfTenant) values of `Idempotency-Key` in use, and each is kept for 24 hours. Send the \
                request without the header, or retry after the seconds in `Retry-After`.
                """)
            problem.headers[.retryAfter] = "\(seconds)"
            throw problem
        case .mine: break
        }

        let response: Response
        do {
            response = try await next(request, context)
        } catch let problem as Problem {
            context.record.note(outcome: problem.code.rawValue)
            response = problem.response(instance: request.uri.path, requestID: context.record.current.requestID)
        } catch {
            await settle("freed") { try await claim.free(in: database) }
            throw error
        }
        guard Self.isKept(response.status) else {
            await settle("freed") { try await claim.free(in: database) }
            return response
        }
        let answer = try await StoredAnswer(response)
        let kept = try await answer.keepable(for: request, requestID: context.record.current.requestID)
        await settle("stored") { [keyring] in try await claim.store(kept, in: database, keyring: keyring) }
        return answer.response
    }

    private static func mayAct(_ caller: Caller, _ context: CallContext) -> Bool {
        guard context.parameters.get("tenant") != nil else { return caller.isOperator }
        return (try? TenantContext(context: context)) != nil
    }

    private static func isKept(_ status: HTTPResponse.Status) -> Bool {
        switch status {
        case .preconditionFailed, .unsupportedMediaType, .preconditionRequired, .tooManyRequests: false
        default: status.code < 500
        }
    }

    /// What must be done even if the caller has gone away meanwhile. If it cannot be, the answer stands all the same.
    private func settle(_ what: String, _ work: @escaping @Sendable () async throws -> Void) async {
        let result = await Task { try await work() }.result
        if case .failure(let error) = result {
            logger.warning("a request that may be repeated could not be \(what)", metadata: ["cause": "\(error)"])
        }
    }
}
