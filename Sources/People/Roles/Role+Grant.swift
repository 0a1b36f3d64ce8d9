import Access
package import Foundation
package import Postgres
import Web

extension JSONFields {
    /// Reads a role of a tenant's members. Whether a custom one exists, `Role.scopes` finds out.
    mutating func role(isRequired: Bool = false) -> Role? {
        let given = self.text("role", isRequired: isRequired) { text in
            guard let role = Role(text), role != .builtIn(.platformOperator) else {
                let names = BuiltInRole.ofTenants.map { "`\($0.rawValue)`" }.joined(separator: ", ")
                return "It must be \(names) or the ID of a role."
            }
            return nil
        }
        return given.flatMap { Role($0) }
    }
}

extension Role {
    /// The scopes of the role.
    /// - Throws: `Problem` 400 for a custom role that the tenant does not have.
    package func scopes(of owner: UUID, in db: some StatementRunner) async throws -> [String] {
        switch self {
        case .builtIn(let role): return role.scopes.map(\.rawValue)
        case .custom(let id):
            // Locked, because the role must not get more scopes between this check and the change.
            guard let role = try await db.run(CustomRole.share(id, of: owner)).first(CustomRole.init)
            else { throw Problem.invalid(.init("role", "The tenant has no such role. List the roles of the tenant.")) }
            return role.scopes
        }
    }
}

extension BuiltInRole {
    /// Whether these scopes include all of this role, as those of a role that the tenant defined can.
    package func isIncluded(in others: [String]) -> Bool { Set(others).isSuperset(of: scopes.map(\.rawValue)) }
}

extension ActingContext {
    /// A caller gives, changes and takes away only roles whose scopes it has. So nobody gets more than the caller has, and nobody
    /// removes a member who may do more.
    /// - Throws: `Problem` 403 that names the missing scopes.
    func requireGrant(_ scopes: [String]) throws {
        let lacking = Set(scopes).subtracting(caller.grantable.map(\.rawValue)).sorted()
        guard lacking.isEmpty else {
            throw Problem(
                .insufficientScope,
                "A role can be given or taken away only by a caller with all of its scopes. The caller lacks "
                    + lacking.map { "`\($0)`" }.joined(separator: ", ") + ".")
        }
    }
}
