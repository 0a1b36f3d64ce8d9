/// The people and API keys in an audit trail.
enum Actors {
    /// The lists with the people of an owner's trail.
    private static func people(_ owner: String) -> [Call] {
        owner.isSame(as: "platform")
            ? [.get("platform/operators"), .get("platform/people")] : [.get("\(owner)/members"), .get("\(owner)/support-accesses")]
    }

    /// The ID of a person in one of the lists: a member, an operator, an account, or the operator of a support access.
    private static func id(of person: JSON) -> String? { (person["person_id"] ?? person["id"])?.string }

    private static func name(of person: JSON) -> String? { (person["name"] ?? person["operator_name"])?.string }

    /// The ID of an actor.
    /// - Parameters:
    ///   - actor: an ID, `system`, `apple`, or the name or the email address of a person.
    ///   - owner: the path of the trail's owner, for example `tenants/acme`.
    /// - Throws: ``Failure`` if nobody or more than one person has the name or the address.
    static func id(of actor: String?, _ owner: String, _ session: Session) async throws(Failure) -> String? {
        guard let actor, !["system", "apple"].contains(where: actor.isSame), actor.wholeASCIIMatch(of: #/[a-z]+_[0-9a-z]+/#) == nil else {
            return actor
        }
        let isAddress = actor.utf8.contains(UInt8(ascii: "@"))
        let isPlatform = owner.isSame(as: "platform")
        var found: Set<String> = []
        for list in people(owner) {
            for person in try await session.client().all(list) {
                let value = isAddress ? person["email"]?.string : name(of: person)
                guard value?.asciiLowercased.isSame(as: actor.asciiLowercased) == true, let id = id(of: person) else { continue }
                found.insert(id)
            }
        }
        let word = isAddress ? "address" : "name"
        guard found.count < 2 else {
            throw Failure(
                status: .failure, detail: "\(found.count) people have the \(word) \(actor).",
                nextStep: "Pass one of the IDs: \(found.sorted().joined(separator: ", ")).")
        }
        guard let id = found.first else {
            let tenant = "--tenant \(owner.parts(at: "/").last ?? "")"
            // The list of support accesses has no addresses.
            let operators = isAddress ? "" : ", and `espalierctl support list \(tenant)` those of operators"
            throw Failure(
                status: .failure, detail: "No person\(isPlatform ? "" : " in the tenant") has the \(word) \(actor).",
                nextStep: isPlatform
                    ? "`espalierctl people list --all` shows the people."
                    : "`espalierctl members list \(tenant)` shows the \(isAddress ? "addresses" : "names") of members\(operators). For a former member, pass the ID (person_…)."
            )
        }
        return id
    }

    /// Returns a page of events with the names of actors in the place of their IDs.
    ///
    /// Two requests find people, and another one API keys. An actor keeps the ID if the lists do not have it, or if the caller may not read them.
    static func named(in answer: JSON, _ owner: String, _ client: APIClient) async -> JSON {
        guard case .object(var members) = answer, let events = answer["data"]?.elements else { return answer }
        let actors = Set(events.compactMap { $0["actor"]?.string })
        var names: [String: String] = [:]
        if actors.contains(where: { $0.utf8.starts(with: "person_".utf8) }) {
            for list in people(owner) {
                for person in await elements(list, client) {
                    guard let id = id(of: person), let name = name(of: person), names[id] == nil else { continue }
                    names[id] = name
                }
            }
        }
        if actors.contains(where: { $0.utf8.starts(with: "apikey_".utf8) }) {
            for key in await elements(.get("\(owner)/api-keys"), client) {
                guard let id = key["id"]?.string, let name = key["name"]?.string else { continue }
                // The name of a key must not look like that of a person.
                names[id] = "\(name) (key)"
            }
        }
        members["data"] = .array(
            events.map { event in
                guard case .object(var event) = event, let name = event["actor"]?.string.flatMap({ names[$0] }) else { return event }
                event["actor"] = .string(name)
                return .object(event)
            })
        return .object(members)
    }

    /// The first 100 elements of a list. None if the caller may not see it.
    private static func elements(_ list: Call, _ client: APIClient) async -> [JSON] {
        var list = list
        list.query.append(("limit", "100"))
        return (try? await client.send(list))?.json["data"]?.elements ?? []
    }
}

extension String {
    /// The text with small letters in the place of A to Z, as the server compares addresses.
    var asciiLowercased: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
