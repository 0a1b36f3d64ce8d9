/// The people and API keys in an audit trail.
enum Actors {
    /// The list of an owner's people.
    private static func people(_ owner: String) -> Call {
        .get(owner.isSame(as: "platform") ? "platform/operators" : "\(owner)/members")
    }

    /// The ID of an actor.
    /// - Parameters:
    ///   - actor: an ID, `system`, `apple`, or the name or the email address of a member or operator.
    ///   - owner: the path of the trail's owner, for example `tenants/acme`.
    /// - Throws: ``Failure`` if nobody or more than one person has the name or the address.
    static func id(of actor: String?, _ owner: String, _ session: Session) async throws(Failure) -> String? {
        guard let actor, !["system", "apple"].contains(where: actor.isSame), actor.wholeASCIIMatch(of: #/[a-z]+_[0-9a-z]+/#) == nil else {
            return actor
        }
        let isAddress = actor.utf8.contains(UInt8(ascii: "@"))
        let found = try await session.client().all(people(owner)).filter { person in
            person[isAddress ? "email" : "name"]?.string?.asciiLowercased.isSame(as: actor.asciiLowercased) == true
        }
        let isPlatform = owner.isSame(as: "platform")
        let (kind, word) = (isPlatform ? "operator" : "member", isAddress ? "address" : "name")
        guard found.count < 2 else {
            let ids = found.compactMap { $0["person_id"]?.string }.joined(separator: ", ")
            throw Failure(
                status: .failure, detail: "\(found.count) \(kind)s have the \(word) \(actor).", nextStep: "Pass one of the IDs: \(ids).")
        }
        guard let id = found.first?["person_id"]?.string else {
            let command = isPlatform ? "operators list" : "members list --tenant \(owner.parts(at: "/").last ?? "")"
            throw Failure(
                status: .failure, detail: "No \(kind) has the \(word) \(actor).",
                nextStep:
                    "`espalierctl \(command)` shows the \(isAddress ? "addresses" : "names"). For a former member, pass the ID (person_…).")
        }
        return id
    }

    /// Returns a page of events with the names of actors in the place of their IDs.
    ///
    /// One request finds people, and another one API keys. An actor keeps the ID if the lists do not have it, or if the caller may not read them.
    static func named(in answer: JSON, _ owner: String, _ client: APIClient) async -> JSON {
        guard case .object(var members) = answer, let events = answer["data"]?.elements else { return answer }
        let actors = Set(events.compactMap { $0["actor"]?.string })
        var names: [String: String] = [:]
        if actors.contains(where: { $0.utf8.starts(with: "person_".utf8) }) {
            for person in await elements(people(owner), client) {
                guard let id = person["person_id"]?.string, let name = person["name"]?.string else { continue }
                names[id] = name
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
