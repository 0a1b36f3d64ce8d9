import Encoding
package import Foundation
package import Hummingbird
package import Web

/// A call of the REST API. `Authenticate` adds the caller.
package struct CallContext: ChildRequestContext, RecordedContext {
    package var coreContext: CoreRequestContextStorage
    package let record: RequestRecord
    /// The own host of the tenant that the request names. Nil at the public URL.
    package let ownHost: OwnHost?
    package internal(set) var caller: Caller?
    /// The tenant in the path, if it exists. If the path names none, the tenant that owns the key.
    package internal(set) var tenant: Tenant?
    /// Whether the method can change data: every method except GET and HEAD. False for operations that only read.
    package internal(set) var isChange = false

    package init(context: WebContext) {
        (coreContext, record, ownHost) = (context.coreContext, context.record, context.ownHost)
    }
}

/// Finds the caller by the API key and the tenant by the path, and counts the request.
///
/// It refuses only requests above the limit. The contexts of the routes below decide on the caller's permissions. They cannot be created
/// without the required proof.
package struct Authenticate: RouterMiddleware {
    package typealias Context = CallContext

    private let callers: Callers
    private let findTenant: @Sendable (_ idOrSlug: String) async throws -> Tenant?
    private let forgetTenant: @Sendable (UUID?) -> Void
    private let limits: RequestLimits
    private let lastUsed: LastUsed
    private let now: @Sendable () -> Date
    /// Whether the requests only read, although their method is POST.
    private var isForReads = false

    /// The same for operations that change nothing although their method is POST. Their requests do not count as changes.
    package var forReads: Authenticate {
        var copy = self
        copy.isForReads = true
        return copy
    }

    /// - Parameters:
    ///   - findTenant: Finds a tenant by its ID or slug.
    ///   - forgetTenant: Removes a tenant from the caches of this process after a change.
    package init(
        callers: Callers, limits: RequestLimits, lastUsed: LastUsed,
        findTenant: @escaping @Sendable (_ idOrSlug: String) async throws -> Tenant?,
        forgetTenant: @escaping @Sendable (UUID?) -> Void, now: @escaping @Sendable () -> Date
    ) {
        (self.callers, self.limits, self.lastUsed, self.now) = (callers, limits, lastUsed, now)
        (self.findTenant, self.forgetTenant) = (findTenant, forgetTenant)
    }

    package func handle(
        _ request: Request, context: CallContext, next: (Request, CallContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.isChange = !isForReads && request.method != .get && request.method != .head
        if let secret = request.bearerToken {
            do {
                context.caller = try await callers.find(secret: secret, within: limits, context.record, at: now())
            } catch is TooManyRequests { throw RequestLimits.withoutKey }
        }
        try limits.count(context.caller, context.record)
        if context.isChange, let caller = context.caller {
            // A request with neither header has no body (RFC 9112, section 6.3).
            let isChunked = request.headers[.transferEncoding] != nil
            try limits.countChange(
                caller, bytes: isChunked ? nil : request.headers[.contentLength].flatMap { Int($0) } ?? 0, context.record)
        }
        if let caller = context.caller { lastUsed.note(caller.key, owner: caller.owner, at: now()) }
        // An unauthenticated caller causes no tenant look-up.
        if let caller = context.caller {
            let own = caller.isOperator ? nil : ID<Tenant>(caller.owner).description
            if let name = context.parameters.get("tenant") ?? own { context.tenant = try await findTenant(name) }
        }
        let response = try await next(request, context)
        // A caller must see its own change in the next request. This process sees it at once, other processes as soon as they receive the
        // database's notification.
        if context.isChange, context.caller != nil {
            forgetTenant(context.tenant?.id.uuid)
            callers.forget(context.tenant?.id.uuid)
        }
        return response
    }
}

extension Request {
    /// The token of `Authorization: Bearer` (RFC 6750, section 2.1).
    package var bearerToken: String? { token(ofScheme: "bearer") }

    /// The token of `Authorization` with a scheme of one token.
    /// - Parameter scheme: in lower case.
    package func token(ofScheme scheme: String) -> String? {
        guard let value = headers[.authorization], value.utf8.count <= 8192 else { return nil }
        let (name, rest) = (value.utf8.prefix(scheme.utf8.count), value.utf8.dropFirst(scheme.utf8.count))
        // The scheme is in any case (RFC 9110, section 11.1). This bit is the only difference between the cases of a letter.
        guard name.elementsEqual(scheme.utf8, by: { $0 | 0x20 == $1 }), rest.first == UInt8(ascii: " ") else { return nil }
        let token = Substring(rest).withoutBlanks
        return token.isEmpty ? nil : String(token)
    }
}
