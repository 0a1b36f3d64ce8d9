/// The names of the roles that a tenant defined.
enum RoleNames {
    /// Returns one or more members or invitations with the names of roles in the place of their IDs.
    ///
    /// One request finds all roles, because a tenant has at most 50. A role keeps the ID if the caller may not list roles.
    static func named(in answer: JSON, _ owner: String, _ client: APIClient) async -> JSON {
        let holders = answer["data"]?.elements ?? [answer]
        guard holders.contains(where: { $0["role"]?.string?.utf8.starts(with: "role_".utf8) == true }),
            let roles = (try? await client.send(.get("\(owner)/roles", ["limit": "100"])))?.json["data"]?.elements
        else { return answer }
        func named(_ holder: JSON) -> JSON {
            guard case .object(var members) = holder, let id = members["role"]?.string,
                let name = roles.first(where: { $0["id"]?.string?.isSame(as: id) == true })?["name"]
            else { return holder }
            members["role"] = name
            return .object(members)
        }
        guard case .object(var members) = answer, let elements = answer["data"]?.elements else { return named(answer) }
        members["data"] = .array(elements.map(named))
        return .object(members)
    }
}
