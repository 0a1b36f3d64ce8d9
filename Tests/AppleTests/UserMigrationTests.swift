import Apple
import Testing

@Suite("Apple's user migration")
struct UserMigrationTests {
    private let token = "/auth/token"
    private let migration = "/auth/usermigrationinfo"

    /// Runs a body with permission to migrate.
    private func migrating(
        _ body: @Sendable @escaping (FakeApple, AppleClient, MigrationToken, AppleClientCredentials) async throws -> Void
    )
        async throws
    {
        try await FakeApple.run { apple, client in
            apple.answer(token, .json(#"{"access_token":"m.1","token_type":"Bearer","expires_in":3600}"#))
            let credentials = AppleClientCredentials.make()
            let leave = try await client.migrationToken(credentials, at: Claims.now)
            try await body(apple, client, leave, credentials)
        }
    }

    @Test("permission is requested with exactly the required fields, and does not print")
    func leave() async throws {
        try await migrating { apple, _, leave, _ in
            var form = try #require(apple.requests(token).first).form
            #expect(form.removeValue(forKey: "client_secret") != nil)
            #expect(form == ["grant_type": "client_credentials", "scope": "user.migration", "client_id": Claims.audience])
            #expect("\(leave)" == "MigrationToken(…)")
        }
    }

    @Test("the old team sends sub and target and receives a transfer identifier")
    func sends() async throws {
        try await migrating { apple, client, leave, credentials in
            apple.answer(migration, .json(#"{"transfer_sub":"000760.r2d2.1234"}"#))
            let subject = try await client.transferSubject(of: "001.a&b", to: "Z9Y8X7W6V5", leave, credentials, at: Claims.now)
            #expect(subject == "000760.r2d2.1234")
            let request = try #require(apple.requests(migration).first)
            var form = request.form
            #expect(form.removeValue(forKey: "client_secret") != nil)
            #expect(form == ["sub": "001.a&b", "target": "Z9Y8X7W6V5", "client_id": Claims.audience])
            #expect(request.authorization == "Bearer m.1")
        }
    }

    @Test(
        "the new team sends the transfer identifier and receives its own, and an address only if it is a relay address",
        arguments: [
            (#"{"sub":"820417.faa.0219"}"#, nil),
            (
                #"{"sub":"820417.faa.0219","email":"ep9ks2tnph@privaterelay.appleid.com","is_private_email":true}"#,
                "ep9ks2tnph@privaterelay.appleid.com"
            ),
            (
                #"{"sub":"820417.faa.0219","email":"ep9ks2tnph@privaterelay.appleid.com","is_private_email":"true"}"#,
                "ep9ks2tnph@privaterelay.appleid.com"
            ),
            (#"{"sub":"820417.faa.0219","email":"ada@example.com","is_private_email":true}"#, nil),
        ])
    func receives(answer: String, address: String?) async throws {
        try await migrating { apple, client, leave, credentials in
            apple.answer(migration, .json(answer))
            let user = try await client.migratedUser("000760.r2d2.1234", leave, credentials, at: Claims.now)
            #expect((user.subject, user.relayAddress) == ("820417.faa.0219", address))
            var form = try #require(apple.requests(migration).first).form
            #expect(form.removeValue(forKey: "client_secret") != nil)
            #expect(form == ["transfer_sub": "000760.r2d2.1234", "client_id": Claims.audience])
            #expect("\(user)" == "MigratedUser(…)")
        }
    }

    @Test("errors of the user, of the credentials, of too many requests and of Apple are distinguished")
    func fails() async throws {
        try await migrating { apple, client, leave, credentials in
            let answers: [(FakeApple.Answer, UserMigrationError)] = [
                (.json(#"{"error":"invalid_request"}"#, status: 400), .refused),
                (.json(#"{"error":"invalid_grant"}"#, status: 400), .refused),
                (.json(#"{"error":"invalid_client"}"#, status: 400), .failed(.refused(.invalidClient))),
                (.html(429), .throttled(retryAfter: nil)), (.html(503), .throttled(retryAfter: nil)),
                (.html(500), .failed(.unavailable(status: 500))), (.html(401), .failed(.unavailable(status: 401))),
                (.cutOff, .failed(.unreachable)),
            ]
            for (answer, error) in answers {
                apple.answer(migration, answer)
                await #expect(throws: error) {
                    try await client.transferSubject(of: "s", to: "Z9Y8X7W6V5", leave, credentials, at: Claims.now)
                }
            }
        }
    }

    @Test(
        "a response without an identifier, or with an impossible one, is invalid",
        arguments: ["{}", "[]", #"{"transfer_sub":"","sub":""}"#, #"{"transfer_sub":"a b","sub":"a\u0000"}"#])
    func nonsense(answer: String) async throws {
        try await migrating { apple, client, leave, credentials in
            apple.answer(migration, .json(answer))
            await #expect(throws: UserMigrationError.self) {
                try await client.transferSubject(of: "s", to: "Z9Y8X7W6V5", leave, credentials, at: Claims.now)
            }
            await #expect(throws: UserMigrationError.self) {
                try await client.migratedUser("t", leave, credentials, at: Claims.now)
            }
        }
    }
}
