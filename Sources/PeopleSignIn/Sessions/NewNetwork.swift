import Access
import Encoding
import Foundation
import Hummingbird
import Pages
import People
import Postgres
import Web

extension AccountEndpoints {
    /// The statements that mail a notice to a person who signs in from a network without an earlier session, in a browser that never signed
    /// this person in. They are part of the transaction of the sign-in. An account without a session has no network to compare with.
    func noticeOfNewNetwork(
        _ id: ID<Person>, _ request: Request, _ context: WebContext, in db: Transaction, at now: Date
    ) async throws -> [SQL] {
        guard mail != nil, !KnownBrowser.isKnown(id, in: request, self) else { return [] }
        let (people, sessions) = try await db.run(Person.find(id), PersonSession.addresses(of: id))
        let known = try sessions.map { CallerNetwork.of(try $0.get("address", as: String.self)) }
        let own = CallerNetwork.of(context.record.current.address)
        guard let person = try people.first(Person.init), !known.isEmpty, !known.contains(where: { $0.isSame(as: own) }) else { return [] }
        let notice = try person.notice(
            .newNetwork, publicURL: publicURL, language: frame(request, context).language, keyring: keyring, at: now)
        return notice.map { [$0] } ?? []
    }
}
