import ArgumentParser

/// `espalierctl whoami`: shows the caller of the API.
struct WhoAmI: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami",
        abstract: "Shows who you are for the server: a person or an API key, the role and the scopes.",
        discussion: """
            With several memberships, pass --tenant to see the role and the scopes in one of them. The command fails if you are not a \
            member. An operator sees the scopes that it has there now, and its running support access.

            EXAMPLES
              espalierctl whoami
              espalierctl whoami --tenant acme --jq .role
            """)
    static let view: View? = View(
        .init("Actor", "actor"),
        .init("Name", "name").optional,
        .init("Email", "email").optional,
        .init("Tenant", "tenant").optional,
        .init("Role", "role").optional,
        .init("Operator", "is_operator").optional,
        .init("Scopes", "scopes").optional,
        .init("Session", "session.id").optional,
        .init("Signed in", "session.authenticated_at").optional,
        .init("Expires", "session.expires_at").optional,
        .init("Support", "support_access.id").optional,
        .init("Support ends", "support_access.ends_at").optional,
        sections: [
            .init(
                title: "Memberships", path: "memberships",
                view: View(
                    .init("Tenant", "tenant").optional, .init("Role", "role").optional, .init("Tenant ID", "tenant_id").optional))
        ])

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        var call = Call.get("caller")
        call.tenant = tenant.tenant?.text
        return call
    }

    func completed(_ caller: JSON, _ session: Session, _ client: APIClient) async throws(Failure) -> JSON {
        guard let wanted = tenant.tenant?.text else { return caller }
        let names = ["tenant", "tenant_id"].compactMap { caller[$0]?.string }
        guard !names.contains(where: wanted.isSame), caller["support_access"] == nil else { return caller }
        if caller["is_operator"] == .bool(true) {
            // An operator acts for every tenant that exists.
            do throws(Failure) {
                _ = try await client.send(.get("tenants/\(wanted)"))
            } catch  where error.problem?.status == 404 {
                throw error
            } catch {}
            return caller
        }
        if Self.isMember(caller, of: wanted) {
            throw Failure(status: .failure, detail: Self.otherProvider(wanted), nextStep: "Log in again: espalierctl login")
        }
        let (subject, shown) =
            client.credential.isLogin
            ? ("You are not a member of the tenant \(wanted)", "your memberships")
            : ("This API key is not one of the tenant \(wanted)", "the tenant of the key")
        throw Failure(
            status: .failure, detail: "\(subject), or the tenant does not exist.", nextStep: "`espalierctl whoami` shows \(shown).")
    }

    /// Whether a person has a membership in a tenant, even if this login cannot use it.
    private static func isMember(_ caller: JSON, of tenant: String) -> Bool {
        caller["memberships"]?.elements?.contains { membership in
            ["tenant", "tenant_id"].contains { membership[$0]?.string?.isSame(as: tenant) == true }
        } == true
    }

    private static func otherProvider(_ tenant: String) -> String {
        "This login has no access to the tenant \(tenant), which may require a sign-in with its own provider."
    }

    func note(_ caller: JSON) -> String? {
        guard tenant.tenant == nil, caller["tenant"] == nil, let memberships = caller["memberships"]?.elements else { return nil }
        if let configured = try? options.server.settings().tenant() {
            let origin = "ESPALIER_TENANT, \(ProjectFile.name) or the profile names it."
            // An operator acts for every tenant that exists, so the server would name this one.
            if caller["is_operator"] == .bool(true) { return "The tenant \(configured) does not exist. \(origin)" }
            if Self.isMember(caller, of: configured) { return "\(Self.otherProvider(configured)) Log in again: espalierctl login" }
            let tenants = memberships.compactMap { $0["tenant"]?.string }.joined(separator: ", ")
            let step = tenants.isEmpty ? "Ask an owner to invite you." : "Name one of your tenants there, or with --tenant: \(tenants)."
            return """
                You are not a member of the tenant \(configured), or the tenant does not exist. \(origin) \(step)
                """
        }
        guard memberships.count > 1 else { return nil }
        return "You have \(memberships.count) memberships. --tenant SLUG chooses one."
    }
}
