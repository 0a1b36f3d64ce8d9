import Encoding
package import Foundation
import HTTPTypes
package import Hummingbird
package import Web

/// A call of the REST API. `Authenticate` adds the caller.
package struct CallContext: ChildRequestContext, RecordedContext {
    package var coreContext: CoreRequestContextStorage
    package let record: RequestRecord
    /// The own host of the tenant that the request names. Nil at the public URL.
    package let ownHost: OwnHost?
    package internal(set) var caller: Caller?
    /// The tenant in the path, if it exists. If the path names none, the tenant that the caller acts for.
    package internal(set) var tenant: Tenant?
    /// Whether the method can change data: every method except GET and HEAD. False for operations that only read.
    package internal(set) var isChange = false
    /// Finds the caller and the tenant of the path again, for a response that can last longer than the permission. Nil without a caller.
    var again: (@Sendable () async throws -> CallContext)?

    package init(context: WebContext) {
        (coreContext, record, ownHost) = (context.coreContext, context.record, context.ownHost)
    }
}

/// Finds the caller by the API key or the session of a person, and the tenant by the path, and counts the request.
///
/// A session is a bearer token. A cookie never has an effect here, so no other site can send a call with it.
///
/// It refuses only requests above the limit. The contexts of the routes below decide on the caller's permissions. They cannot be created
/// without the required proof.
package struct Authenticate: RouterMiddleware {
    package typealias Context = CallContext

    /// Finds a person by the secret of a session, within limits.
    package typealias FindPerson = @Sendable (String, RequestLimits, RequestRecord, Date) async throws -> SignedInPerson?

    private let callers: Callers
    /// Nil for operations that only API keys may call.
    private var findPerson: FindPerson?
    private let findTenant: @Sendable (_ idOrSlug: String) async throws -> Tenant?
    private let forgetTenant: @Sendable (UUID?) -> Void
    private let forgetPerson: @Sendable (ID<Person>) -> Void
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

    /// The same for the interfaces of other products, which know only API keys.
    package var forKeys: Authenticate {
        var copy = self
        copy.findPerson = nil
        return copy
    }

    /// - Parameters:
    ///   - findTenant: Finds a tenant by its ID or slug.
    ///   - forgetTenant: Removes a tenant and its people from the caches of this process after a change. Without a tenant, the change was of
    ///     the platform.
    ///   - forgetPerson: Removes a person from them after a change by this person.
    package init(
        callers: Callers, findPerson: @escaping FindPerson, limits: RequestLimits, lastUsed: LastUsed,
        findTenant: @escaping @Sendable (_ idOrSlug: String) async throws -> Tenant?,
        forgetTenant: @escaping @Sendable (UUID?) -> Void, forgetPerson: @escaping @Sendable (ID<Person>) -> Void,
        now: @escaping @Sendable () -> Date
    ) {
        (self.callers, self.limits, self.lastUsed, self.now) = (callers, limits, lastUsed, now)
        (self.findPerson, self.findTenant) = (findPerson, findTenant)
        (self.forgetTenant, self.forgetPerson) = (forgetTenant, forgetPerson)
    }

    package func handle(
        _ request: Request, context: CallContext, next: (Request, CallContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.isChange = !isForReads && request.method != .get && request.method != .head
        var person = try await identify(request, &context)
        try limits.count(context.caller, context.record)
        try await chooseTenant(of: person, request, &context)
        if let caller = context.caller {
            if person != nil { try limits.countTenant(caller, context.record) }
            let head = Request(head: request.head, body: RequestBody(buffer: ByteBuffer()))
            context.again = { [context] in
                var context = context
                let person = try await identify(head, &context)
                try await chooseTenant(of: person, head, &context)
                return context
            }
            switch caller.actor {
            case .key(let key): lastUsed.note(key, owner: caller.owner, at: now())
            case .person(_, let session, _): lastUsed.note(session, owner: .platform, at: now())
            }
        }
        var request = request
        if context.isChange, let caller = context.caller {
            // A request with neither header has no body (RFC 9112, section 6.3).
            let isChunked = request.headers[.transferEncoding] != nil
            try limits.countChange(
                caller, bytes: isChunked ? nil : request.headers[.contentLength].flatMap { Int($0) } ?? 0, context.record)
            // A body can take until the limit of the connection. The permissions at its end count, so that nobody keeps one by a slow body.
            request.body = RequestBody(buffer: try await request.body.whole(upTo: Self.largestBody))
            person = try await identify(request, &context)
            try await chooseTenant(of: person, request, &context)
        }
        let response = try await next(request, context)
        // A caller must see its own change in the next request. This process sees it at once, other processes as soon as they receive the
        // database's notification.
        if context.isChange, context.caller != nil {
            forgetTenant(context.tenant?.id.uuid)
            callers.forget(context.tenant?.id.uuid)
            // The person may have started or ended a support access.
            if let person { forgetPerson(person.session.person) }
        }
        return response
    }

    /// The largest body of an action, in bytes: a logo. The other actions read less.
    private static let largestBody = 256 * 1024

    /// Finds the caller by its secret, as it is now.
    /// - Returns: the person, whose caller depends on the tenant. Until then, it has no permission.
    private func identify(_ request: Request, _ context: inout CallContext) async throws -> SignedInPerson? {
        guard let secret = request.bearerToken else { return nil }
        do {
            guard PersonSession.isWellFormed(secret) else {
                context.caller = try await callers.find(secret: secret, within: limits, context.record, at: now()).map(Caller.init)
                return nil
            }
            let person = try await findPerson?(secret, limits, context.record, now())
            context.caller = person?.nobody
            return person
        } catch is TooManyRequests { throw RequestLimits.withoutKey }
    }

    /// Finds the tenant that the request names, or else the caller's own, and a person's permissions there. An unauthenticated caller causes
    /// no look-up.
    private func chooseTenant(of person: SignedInPerson?, _ request: Request, _ context: inout CallContext) async throws {
        let inPath = context.parameters.get("tenant")
        context.tenant = nil
        guard let person else {
            let own = context.caller.flatMap { $0.isOperator ? nil : ID<Tenant>($0.owner).description }
            if context.caller != nil, let name = inPath ?? own { context.tenant = try await findTenant(name) }
            return
        }
        let name = inPath ?? request.headers[.espalierTenant]
        if let name { context.tenant = try await findTenant(name) }
        let wanted: SignedInPerson.Wanted =
            if inPath != nil { .path(context.tenant) } else if name != nil { .header(context.tenant?.id) } else { .unnamed }
        let caller = person.caller(for: wanted, at: now())
        context.caller = caller
        if name == nil, let own = caller.tenant { context.tenant = try await findTenant(own.description) }
    }
}

extension HTTPField.Name {
    /// The tenant that a person acts for, if the path names none.
    static let espalierTenant = Self("Espalier-Tenant")!
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
