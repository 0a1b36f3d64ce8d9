package import Foundation
package import Hummingbird
package import Web

/// A call of the REST API, with its caller once `Authenticate` has found one.
package struct CallContext: ChildRequestContext, RecordedContext {
    package var coreContext: CoreRequestContextStorage
    package let record: RequestRecord
    package fileprivate(set) var caller: Caller?
    /// The tenant in the path, if there is one by that name.
    package fileprivate(set) var tenant: Tenant?

    package init(context: WebContext) {
        (coreContext, record) = (context.coreContext, context.record)
    }
}

/// Finds the caller by the API key and the tenant by the path. Decides nothing: that is for the contexts
/// of the routes below, which cannot be made without what they need.
package struct Authenticate: RouterMiddleware {
    package typealias Context = CallContext

    private let callers: Callers
    private let directory: TenantDirectory
    private let now: @Sendable () -> Date

    package init(callers: Callers, directory: TenantDirectory, now: @escaping @Sendable () -> Date) {
        (self.callers, self.directory, self.now) = (callers, directory, now)
    }

    package func handle(
        _ request: Request, context: CallContext, next: (Request, CallContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let secret = request.bearerToken {
            context.caller = try await callers.find(secret: secret, at: now())
        }
        // Strangers do not make us look for tenants.
        if context.caller != nil, let name = context.parameters.get("tenant") {
            context.tenant = try await directory.find(idOrSlug: name)?.tenant
        }
        return try await next(request, context)
    }
}

extension Request {
    /// The token of `Authorization: Bearer` (RFC 6750, section 2.1).
    package var bearerToken: String? {
        guard let value = headers[.authorization], value.utf8.count <= 8192 else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return parts[1].trimmingCharacters(in: .whitespaces)
    }
}
