package import Foundation
import HTTPTypes
package import Hummingbird
package import Logging
import NIOCore
package import Postgres
package import Sealing
import Web

/// Implements `Idempotency-Key`: a POST that is sent again after a lost response is not carried out again.
///
/// The first request with a key takes a row for its caller, key, method and path. The row stores the response for a day: status, headers
/// and body. The response is sealed, because it may contain a secret that is shown once. A repetition receives that response with
/// `Idempotent-Replayed: true`. A request with the same key and another body is refused (422). A repetition while the first request is in
/// progress is refused too (409). An upsert takes the row, so exactly one of several parallel requests gets it.
///
/// Refusals are stored too. The exceptions are 412, 415, 428, 429, everything from 500, and the refusal of an old sign-in: nothing was
/// tried, and the same request may succeed later. A tenant has a limited number of rows (429). Responses up to 64 KiB are stored.
///
/// **Limits.** The response is stored after the action's own transaction, not in it. If the process is killed or loses the database between
/// the two, the action stays done and its response is unknown. The row stays locked for a minute, and a repetition after that minute is
/// carried out again. An action that fails after its commit has the same effect, and it frees the row at once. A repetition with a unique
/// name (a tenant's slug) is then refused with 409. A repetition without a unique name (an API key, whose secret nobody saw) creates a
/// second object. The audit trail contains both, with their request IDs.
package struct Idempotency: RouterMiddleware {
    package typealias Context = CallContext

    /// The largest body that any action reads, in bytes.
    private static let bodyLimit = 64 * 1024

    private let pool: DatabasePool
    private let keyring: Keyring
    private let logger: Logger
    private let now: @Sendable () -> Date
    /// Whether a path without a tenant is about the tenant that owns the key.
    private var isForOwnTenant = false

    /// The same for paths without a tenant, which are about the tenant that owns the key.
    package var forOwnTenant: Idempotency {
        var copy = self
        copy.isForOwnTenant = true
        return copy
    }

    package init(pool: DatabasePool, keyring: Keyring, logger: Logger, now: @escaping @Sendable () -> Date) {
        (self.pool, self.keyring, self.logger, self.now) = (pool, keyring, logger, now)
    }

    package func handle(
        _ request: Request, context: CallContext, next: (Request, CallContext) async throws -> Response
    ) async throws -> Response {
        // A later step refuses a caller without permission. Such a request leaves no row.
        guard request.method == .post, let key = request.headers[.idempotencyKey], let caller = context.caller,
            mayAct(caller, context)
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
            throw Problem(.idempotencyKeyReused, "This `Idempotency-Key` had another body before. Use a new one for a new request.")
        case .running:
            var problem = Problem(.requestRunning, "A request with this `Idempotency-Key` is still in progress. Retry in a moment.")
            problem.headers[.retryAfter] = "1"
            throw problem
        case .full(let seconds):
            var problem = Problem(
                .rateLimited,
                """
                The tenant has \(IdempotentRequest.mostOfTenant) values of `Idempotency-Key` in use. Each expires after 24 hours. Send the \
                request without the header, or retry after the seconds in `Retry-After`.
                """)
            problem.headers[.retryAfter] = "\(seconds)"
            throw problem
        case .mine: break
        }

        let response: Response
        do {
            response = try await next(request, context)
        } catch let problem as Problem where problem.code == .recentSignInRequired {
            // The person signs in again and repeats the request.
            await settle("freed") { try await claim.free(in: database) }
            throw problem
        } catch let problem as Problem {
            context.record.note(outcome: problem.code.rawValue)
            response = problem.response(instance: request.uri.path, requestID: context.record.current.requestID)
        } catch {
            await settle("freed") { try await claim.free(in: database) }
            throw error
        }
        guard Self.isStored(response.status) else {
            await settle("freed") { try await claim.free(in: database) }
            return response
        }
        let answer = try await StoredAnswer(response)
        let stored = try await answer.storable(for: request, requestID: context.record.current.requestID)
        await settle("stored") { [keyring] in try await claim.store(stored, in: database, keyring: keyring) }
        return answer.response
    }

    private func mayAct(_ caller: Caller, _ context: CallContext) -> Bool {
        guard context.parameters.get("tenant") != nil || isForOwnTenant else { return caller.isOperator }
        return (try? TenantContext(context: context)) != nil
    }

    private static func isStored(_ status: HTTPResponse.Status) -> Bool {
        switch status {
        case .preconditionFailed, .unsupportedMediaType, .preconditionRequired, .tooManyRequests: false
        default: status.code < 500
        }
    }

    /// Completes work even if the caller has disconnected. A failure does not change the response.
    private func settle(_ what: String, _ work: @escaping @Sendable () async throws -> Void) async {
        let result = await Task { try await work() }.result
        if case .failure(let error) = result {
            logger.warning("idempotent request could not be \(what)", metadata: ["cause": "\(error)"])
        }
    }
}
