package import HTTPTypes
package import Hummingbird
import NIOCore
import Synchronization

/// What travels with a request: Hummingbird's core, and the record that the access log will write.
package struct WebContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    package let record = RequestRecord()

    package init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        record.note(address: source.channel.remoteAddress?.ipAddress)
    }

    /// Largest body that is read, in bytes. Nothing that is posted here is larger than a form.
    package var maxUploadSize: Int { 64 * 1024 }
}

/// What is known of a request by the time it is answered. A reference, since an action knows more than
/// the middleware that logs it.
package final class RequestRecord: Sendable {
    package struct Facts: Sendable {
        package var requestID = ""
        /// The IP address that the request came from: the connection's, or, behind trusted proxies, what they say of it.
        package var address: String?
        /// The `operationId` of the request's route, or nil where no route matches.
        package var action: String?
        /// The tenant's slug as the path or the key named it.
        package var tenant: String?
        /// A refusal's short name. Nil when all went well.
        package var outcome: String?
        /// Whether the caller has proven who it is, with a secret: its failures are not charged to its address.
        package var isAuthenticated = false
        /// Whether the request is already charged to its address.
        package var isCharged = false
        /// What goes out with the answer, whatever it will be: a refusal that is thrown further in, too.
        package var headers: HTTPFields = [:]
    }

    private let facts = Mutex(Facts())

    package func note(header name: HTTPField.Name, _ value: String) {
        facts.withLock { $0.headers[name] = value }
    }

    /// The caller has proven who it is, with a secret.
    package func noteAuthenticated() {
        facts.withLock { $0.isAuthenticated = true }
    }

    /// The request is charged to its address, so nothing charges it again.
    package func noteCharged() {
        facts.withLock { $0.isCharged = true }
    }

    package init() {}

    package var current: Facts { facts.withLock { $0 } }

    package func note(
        requestID: String? = nil, address: String? = nil, action: String? = nil, tenant: String? = nil, outcome: String? = nil
    ) {
        facts.withLock { facts in
            if let address { facts.address = address }
            if let requestID { facts.requestID = requestID }
            if let action { facts.action = action }
            if let tenant { facts.tenant = tenant }
            if let outcome { facts.outcome = outcome }
        }
    }
}

/// A context that carries the record of its request.
package protocol RecordedContext: RequestContext {
    var record: RequestRecord { get }
}

extension WebContext: RecordedContext {}
