import Postgres
import Server
import TestSupport
import Testing

@Suite("Authorize terminal device")
struct AuthorizeTerminalDeviceTests {
    @Test("the codes are not stored, no link has the user code, and a network has 100 open requests")
    func starts() async throws {
        try await TestPlatform.run { platform in
            let person = try await TerminalPerson(platform)
            let codes = try await person.start()
            let (device, user) = (try #require(codes.string("device_code")), try #require(codes.string("user_code")))
            #expect(codes.string("verification_uri") == "\(TerminalPerson.issuer)/device" && codes.json["interval"] as? Int == 5)
            #expect(codes.json["verification_uri_complete"] == nil)
            let row = try await platform.ownerPool.run("SELECT d::text AS text, host_name FROM person_device AS d")[0]
            let text = try row.get("text", as: String.self)
            #expect(!text.contains(device) && !text.contains(user))
            #expect(try row.get("host_name", as: String.self) == "build-7")
            #expect(try await person.start([("host_name", "a b")]).isOAuthError(400, "invalid_request"))

            _ = try await platform.ownerPool.run(
                """
                INSERT INTO person_device (id, user_code_digest, network, state, interval_seconds, created_at, expires_at)
                SELECT gen_random_uuid(), sha256(number::text::bytea), network, 'pending', 5, created_at, expires_at
                FROM person_device, generate_series(1, 99) AS number
                """)
            #expect(try await person.start().status == 429)
        }
    }

    @Test("expired requests are deleted")
    func forgets() async throws {
        try await TestPlatform.run { platform in
            let person = try await TerminalPerson(platform)
            let code = try await person.start().string("device_code") ?? ""
            _ = try await platform.ownerPool.run("UPDATE person_device SET expires_at = now() - interval '1 second'")
            #expect(try await person.poll(code).isOAuthError(400, "expired_token"))
        }
    }
}
