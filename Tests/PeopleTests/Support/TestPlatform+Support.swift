import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

extension TestPlatform {
    /// Adds an operator with a session of a terminal.
    func addOperator(_ name: String = "Grace") async throws -> (person: ID<Person>, secret: String) {
        let (_, person) = try await addMember(name, as: .builtIn(.platformOperator), of: .platform)
        return (person, try await startSession(person).secret)
    }

    /// Starts a support access of Acme.
    func startSupport(_ secret: String, of tenant: String = "acme", minutes: Int = 60) async throws -> TestBrowser.Answer {
        try await call(
            "POST", "/tenants/\(tenant)/support-accesses", key: secret, ["reason": "Ticket 4711: sign-ins fail.", "minutes": minutes])
    }

    /// The status of a read of users.
    func users(_ secret: String, of tenant: String = "acme") async throws -> TestBrowser.Answer {
        try await call("GET", "/tenants/\(tenant)/users", key: secret)
    }

    /// Moves the times of all support accesses back.
    func ageSupport(by minutes: Int) async throws {
        let step = TimeInterval(minutes * 60)
        _ = try await ownerPool.run(
            """
            UPDATE support_access SET started_at = started_at - make_interval(secs => \(step)), ends_at = ends_at - make_interval(secs => \(step))
            """)
        // A change of the times notifies nobody.
        _ = try await ownerPool.run("SELECT pg_notify('espalier_configuration', person_id::text) FROM support_access")
    }
}
