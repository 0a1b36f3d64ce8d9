import Access
import Encoding
import Foundation
import Sealing
import Tenancy

extension LoginAttempt {
    /// Where an attempt belongs. The page about an attempt that cannot finish needs it, too.
    struct Place: Equatable {
        let tenant: ID<Tenant>
        let connection: ID<Connection>
        let application: ID<Application>
        let host: String?
    }

    var place: Place { Place(tenant: tenant, connection: connection, application: application, host: host) }

    /// Where a sealed attempt belongs, even if it cannot finish. Nil for every other text.
    static func place(of sealed: String, with keyring: Keyring, at now: Date) -> Place? {
        do throws(Refusal) { return try LoginAttempt(opening: sealed, with: keyring, at: now).place } catch { return error.place }
    }
}

extension LoginAttempt.Place {
    /// Whether Apple's response to the attempt belongs at this Return URL. Each connection has one. An attempt whose connection has changed
    /// may use either. The application receives that error later.
    ///
    /// At an own host, both kinds of connections have the same callback, and only an attempt of this host ends there.
    func mayReturn(through door: Connection.Ownership, _ tenant: TenantConfiguration) -> Bool {
        if let current = tenant.tenant.addresses.current { return host?.isSame(as: current) == true }
        guard host == nil else { return false }
        return tenant.connection?.id != connection || tenant.connection?.ownership == door
    }
}

extension Result where Success == LoginAttempt, Failure == LoginAttempt.Refusal {
    /// The own host of the attempt, even if it cannot finish.
    var host: String? {
        switch self {
        case .success(let attempt): attempt.host
        case .failure(let refusal): refusal.place?.host
        }
    }
}
