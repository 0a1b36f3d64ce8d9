import Access
import Encoding
import Foundation
import Hummingbird
import Pages
import People
import Postgres
import Sealing
import Web

/// The proof that a person has signed in with a browser before.
///
/// It signs nobody in. It lets the person try passwords while an attacker's guesses hold up everyone else, so that guesses cannot keep the
/// person out. The limits of the network apply all the same, and the browsers of a person have a limit of their own. A change of the password
/// revokes it.
enum KnownBrowser {
    private static let purpose = "known_browser"
    /// In seconds.
    private static let lifetime = 180 * 86400

    static func cookie(of person: ID<Person>, passwordChangedAt: Date?, _ endpoints: AccountEndpoints) -> String {
        let (id, subject) = (endpoints.keyring.currentDigestKeyID, bytes(of: person))
        let mac = endpoints.keyring.mac(subject + bytes(of: passwordChangedAt), purpose: purpose, keyID: id)!
        return AccountCookie.knownBrowser.set(
            (id.bytes + subject + mac).base64URL, seconds: lifetime, publicURL: endpoints.publicURL)
    }

    static func isKnown(
        _ person: ID<Person>, passwordChangedAt: Date?, in request: Request, _ endpoints: AccountEndpoints
    ) -> Bool {
        let subject = bytes(of: person)
        return AccountCookie.knownBrowser.values(in: request, publicURL: endpoints.publicURL).contains { value in
            guard value.utf8.count < 100, let sent = [UInt8](base64URL: value), sent.count == 52,
                let id = KeyID(Array(sent[..<4])), sent[4..<20].elementsEqual(subject),
                let expected = endpoints.keyring.mac(subject + bytes(of: passwordChangedAt), purpose: purpose, keyID: id)
            else { return false }
            return constantTimeEqual(expected, Array(sent[20...]))
        }
    }

    private static func bytes(of person: ID<Person>) -> [UInt8] {
        withUnsafeBytes(of: person.uuid.uuid, Array.init)
    }

    /// To the microsecond, rounded as in the database, so that a time is the same before and after it is stored.
    private static func bytes(of time: Date?) -> [UInt8] {
        let microseconds = time.flatMap { Int64(exactly: ($0.timeIntervalSinceReferenceDate * 1_000_000).rounded()) } ?? 0
        return withUnsafeBytes(of: microseconds.bigEndian, Array.init)
    }
}

extension AccountEndpoints {
    /// The statements that mail a notice to a person who signs in from a network without an earlier session, in a browser that never signed
    /// this person in. They are part of the transaction of the sign-in. An account without a session has no network to compare with.
    func noticeOfNewNetwork(
        _ id: ID<Person>, _ request: Request, _ context: WebContext, in db: Transaction, at now: Date
    ) async throws -> [SQL] {
        guard mail != nil else { return [] }
        let (people, sessions) = try await db.run(Person.find(id), PersonSession.addresses(of: id))
        let known = try sessions.map { CallerNetwork.of(try $0.get("address", as: String.self)) }
        let own = CallerNetwork.of(context.record.current.address)
        guard let person = try people.first(Person.init),
            !KnownBrowser.isKnown(id, passwordChangedAt: person.passwordChangedAt, in: request, self), !known.isEmpty,
            !known.contains(where: { $0.isSame(as: own) })
        else { return [] }
        return try notice(.newNetwork, of: person, in: frame(request, context), from: context, at: now)
    }
}
