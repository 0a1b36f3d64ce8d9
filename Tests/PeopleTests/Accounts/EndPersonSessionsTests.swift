import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("End person sessions")
struct EndPersonSessionsTests {
    @Test("all sessions of the person end, with an event, and those of others continue")
    func ends() async throws {
        try await TestPlatform.run { platform in
            let (ada, grace) = (try await platform.addPerson("Ada"), try await platform.addPerson("Grace"))
            for person in [ada, grace] { try await platform.addFactors(person) }
            let ended = try await platform.call("POST", "/platform/people/\(ada)/sessions/end")
            #expect(ended.status == 200 && ended.json["sessions"] as? Int == 0 && ended.json["passkeys"] as? Int == 1)
            #expect(try await platform.count("person_session", where: "ended_at IS NULL") == 1)
            #expect(try await platform.audit(ada.description).map(\.action) == ["endPersonSessions"])
            #expect(try await platform.call("POST", "/platform/people/\(ada)/sessions/end", key: platform.acmeKey).status == 403)
        }
    }
}
