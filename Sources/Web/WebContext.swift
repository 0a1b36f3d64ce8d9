package import HTTPTypes
package import Hummingbird
import NIOCore
import Synchronization

/// The data of a request: Hummingbird's core, and the record for the access log.
package struct WebContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    package let record = RequestRecord()
    /// The tenant whose own host the request names. Nil at the server's public URL.
    package var ownHost: OwnHost?

    package init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        record.note(connection: source.channel.remoteAddress)
    }

    /// The largest body that is read, in bytes. No request posts more than a form.
    package var maxUploadSize: Int { 64 * 1024 }
}

/// A host that serves one tenant.
package struct OwnHost: Sendable, Equatable {
    /// In lower case, without a port.
    package let name: String
    /// The tenant's slug.
    package let slug: String

    package init(name: String, slug: String) {
        (self.name, self.slug) = (name, slug)
    }

    /// The path of a route for a path at this host. Each path is below the tenant, so no route of another tenant or of the platform has it.
    ///
    /// The slash before the path ends the slug, even if the path begins with something else. Empty segments do not count.
    package func path(ofRouteFor path: String) -> String { "/t/\(slug)/\(path)" }
}

/// The known facts about a request when it is answered. A reference, because an action knows more than the middleware
/// that logs the request.
package final class RequestRecord: Sendable {
    package struct Facts: Sendable {
        package var requestID = ""
        /// The address of the connection.
        fileprivate var connection: SocketAddress?
        /// The address reported by trusted proxies.
        fileprivate var forwarded: String?
        /// The IP address of the caller. It is written as text only when an action needs it.
        package var address: String? { forwarded ?? connection?.ipAddress }
        /// The `operationId` of the request's route, or nil if no route matches.
        package var action: String?
        /// The tenant's slug in the path or of the API key.
        package var tenant: String?
        /// The short name of a refusal. Nil if the request succeeded.
        package var outcome: String?
        /// The tag of the language of pages that the person asked for, if the address of the request does not have it.
        package var language: String?
        /// Whether the caller has authenticated with a secret. Its failures are not charged to its address.
        package var isAuthenticated = false
        /// Whether the request is already charged to its address.
        package var isCharged = false
        /// Headers for the response of any kind, including an error thrown by an inner layer.
        package var headers: HTTPFields = [:]
    }

    private let facts = Mutex(Facts())

    package func note(header name: HTTPField.Name, _ value: String) {
        facts.withLock { $0.headers.set(HTTPField(name: name, value: value)) }
    }

    /// Records that the caller has authenticated with a secret.
    package func noteAuthenticated() {
        facts.withLock { $0.isAuthenticated = true }
    }

    /// Records that the request is charged to its address, so that nothing charges it again.
    package func noteCharged() {
        facts.withLock { $0.isCharged = true }
    }

    package init() {}

    package var current: Facts { facts.withLock { $0 } }

    fileprivate func note(connection: SocketAddress?) {
        facts.withLock { $0.connection = connection }
    }

    package func note(
        requestID: String? = nil, address: String? = nil, action: String? = nil, tenant: String? = nil, outcome: String? = nil,
        language: String? = nil
    ) {
        facts.withLock { facts in
            if let address { facts.forwarded = address }
            if let requestID { facts.requestID = requestID }
            if let action { facts.action = action }
            if let tenant { facts.tenant = tenant }
            if let outcome { facts.outcome = outcome }
            if let language { facts.language = language }
        }
    }
}

/// A context with the record of its request.
package protocol RecordedContext: RequestContext {
    var record: RequestRecord { get }
}

extension WebContext: RecordedContext {}
