import Foundation
import Mail
import Server
import TestSupport
import Testing

/// Compares the server's real responses with the spec: status, media type, headers, all members and their order.
@Suite("Answers")
struct AnswerTests {
    private let specification: Specification

    init() throws {
        specification = try Specification()
    }

    private var guarded: [Specification.Operation] { specification.operations.filter { $0.scopes != nil } }

    /// The order: reads, then creations, changes and endings, and at last the end of the tenant itself.
    private func rank(_ operation: Specification.Operation) -> (Int, Int, String) {
        let ends = ["suspendTenant", "resumeTenant", "deleteTenant", "restoreTenant"]
        if let place = ends.firstIndex(of: operation.id) { return (6, place, operation.id) }
        if operation.method == "GET" { return (0, 0, operation.id) }
        // A part comes before the object that it belongs to.
        if operation.method == "DELETE" { return (5, -operation.path.count, operation.id) }
        if operation.method == "PATCH" { return (2, 0, operation.id) }
        if operation.id.contains(/^(revoke|retire|activate|close)/) { return (4, 0, operation.id) }
        return (
            operation.path.hasSuffix("}") || operation.path.contains(/\}\/[a-z]+$/) && !operation.things.isEmpty ? 3 : 1, 0, operation.id
        )
    }

    /// A mail server at which nothing listens. This is the result of a test mail, and no mail is sent.
    private static let mail = try? MailSettings(url: "smtp://127.0.0.1:1", sender: "login@acme.example")

    /// Operations without a success in this suite, each with the reason. The list may only shrink.
    private static let withoutSuccess: Set<String> = [
        // The server asks itself at its public URL, which no DNS has here.
        "appleAccountCallback"
    ]

    /// Requires a success of every operation, except for those on the list. An operation on the list must have none.
    private func requireSuccess(of operations: [Specification.Operation], _ succeeded: Set<String>, _ refused: [String]) {
        let (all, listed) = (Set(operations.map(\.id)), Self.withoutSuccess)
        #expect(all.subtracting(succeeded).subtracting(listed).sorted() == [], "These operations have no success: \(refused)")
        #expect(all.intersection(succeeded).intersection(listed).sorted() == [], "These operations succeed. Remove them from the list.")
    }

    @Test("each operation's example works as described, with members in the order of the spec, and the server accepts each one")
    func examples() async throws {
        var (succeeded, refused): (Set<String>, [String]) = ([], [])
        func record(_ operation: Specification.Operation, _ answers: [TestBrowser.Answer]) {
            for answer in answers {
                #expect(specification.violations(answer, of: operation) == [], "\(operation) \(answer.status): \(answer.body)")
                // The request may be impossible now or with this Apple, but it is valid.
                #expect(
                    (200..<300).contains(answer.status) || [404, 409, 422, 503].contains(answer.status),
                    "\(operation) \(answer.status): \(answer.body)")
                if (200..<300).contains(answer.status) {
                    succeeded.insert(operation.id)
                } else {
                    refused.append("\(operation) \(answer.status) \(answer.body)")
                }
            }
        }
        let operations = guarded.sorted { rank($0) < rank($1) }
        let together = try await TestPlatform.run({ $0.mail = Self.mail }) { platform in
            let things = try await Things(platform)
            var answers: [(Specification.Operation, TestBrowser.Answer)] = []
            for operation in operations where Preparation.all[operation.id] == nil {
                for body in operation.bodies {
                    let key = platform.seeded.api_keys[0].secret
                    answers.append((operation, try await send(operation, things.path(operation), key: key, body: body, platform)))
                }
            }
            return answers
        }
        for (operation, answer) in together { record(operation, [answer]) }
        for operation in operations {
            guard let prepare = Preparation.all[operation.id] else { continue }
            // Nothing is sent to webhooks.
            let answers = try await TestPlatform.run({ $0.outboxConcurrency = 0 }) { platform in
                let things = try await Things(platform)
                let prepared = try await prepare(platform, things)
                var answers: [TestBrowser.Answer] = []
                for body in operation.bodies {
                    answers.append(
                        try await send(
                            operation, things.path(operation, replacing: prepared.path),
                            key: prepared.caller ?? platform.seeded.api_keys[0].secret,
                            body: try body.map { try prepared.fill($0) }, platform))
                }
                return answers
            }
            record(operation, answers)
        }
        requireSuccess(of: guarded, succeeded, refused)
        let unknown = Set(Preparation.all.keys).subtracting(guarded.map(\.id)).sorted()
        #expect(unknown == [], "The spec has no such operation.")
    }

    @Test("a tenant's own key reads all data of its tenant")
    func ownKey() async throws {
        try await TestPlatform.run { platform in
            let things = try await Things(platform)
            for operation in guarded where operation.method == "GET" && operation.isForTenants {
                let answer = try await send(
                    operation, things.path(operation), key: platform.acme.api_keys[0].secret, body: nil, platform)
                #expect(answer.status == 200, "\(operation) \(answer.status): \(answer.body)")
                #expect(specification.violations(answer, of: operation) == [], "\(operation): \(answer.body)")
            }
        }
    }

    @Test("an unknown object, an invalid body, an unknown field and another media type are rejected as described")
    func refusals() async throws {
        try await TestPlatform.run { platform in
            let things = try await Things(platform)
            let key = platform.seeded.api_keys[0].secret
            for operation in guarded {
                func expect(_ answer: TestBrowser.Answer, _ status: Int, _ what: String) {
                    #expect(answer.status == status, "\(operation), \(what): \(answer.body)")
                    #expect(specification.violations(answer, of: operation) == [], "\(operation), \(what)")
                }
                if operation.isForTenants {
                    expect(
                        try await send(
                            operation, things.path(operation, tenant: "nobody"), key: key, body: operation.requests.first, platform),
                        404, "no such tenant")
                }
                if !operation.things.isEmpty {
                    expect(
                        try await send(operation, things.path(operation, real: false), key: key, body: operation.requests.first, platform),
                        404, "no such thing")
                }
                if operation.requests.isEmpty { continue }
                let path = things.path(operation)
                for body in ["{", "[]", #"{"no_such_field": 1}"#] {
                    expect(try await send(operation, path, key: key, body: body, platform), 400, body)
                }
                let type = [("Content-Type", "text/plain"), ("Authorization", "Bearer \(key)"), ("If-Match", "*")]
                expect(
                    try await TestBrowser(platform).send(
                        operation.method, TestPlatform.publicURL + path, headers: type, body: operation.requests[0]), 415, "text/plain")
            }
        }
    }

    @Test("a change with another version is rejected, and one without a version where it is required")
    func versions() async throws {
        try await TestPlatform.run { platform in
            let things = try await Things(platform)
            let key = platform.seeded.api_keys[0].secret
            for operation in guarded where operation.takes(header: "If-Match") {
                let stale = try await send(
                    operation, things.path(operation), key: key, body: operation.requests.first, headers: [("If-Match", "\"stale\"")],
                    platform)
                #expect(stale.status == 412, "\(operation): \(stale.body)")
                #expect(specification.violations(stale, of: operation) == [], "\(operation)")
                guard operation.requires(header: "If-Match") else { continue }
                let without = try await send(
                    operation, things.path(operation), key: key, body: operation.requests.first, headers: [], platform)
                #expect(without.status == 428, "\(operation): \(without.body)")
                #expect(specification.violations(without, of: operation) == [], "\(operation)")
            }
        }
    }

    @Test("each operation without an API key succeeds as described: with its answer, or with a redirect without an error")
    func open() async throws {
        let open = specification.operations.filter(\.isOpen)
        let answers = try await TestMailServer.run { mails async throws in
            let mail = try MailSettings(url: "smtp://127.0.0.1:\(mails.port)", sender: "login@acme.example")
            return try await TestPlatform.run({
                $0.showsPricing = true
                $0.securityContact = "mailto:security@platform.test"
                $0.mail = mail
                $0.allowsPrivateWebhooks = true
            }) { platform in try await OpenOperations(platform, mails).answers() }
        }
        var (succeeded, refused): (Set<String>, [String]) = ([], [])
        for (id, answer) in answers {
            let operation = try #require(open.first { $0.id == id }, "\(id)")
            #expect(specification.violations(answer, of: operation) == [], "\(operation) \(answer.status): \(answer.body)")
            // The success of a refusal is an error for the application.
            if (200..<400).contains(answer.status)
                && answer["error"] == (["refuseIdentity", "refuseTerminal"].contains(id) ? "access_denied" : nil)
            {
                succeeded.insert(id)
            } else {
                refused.append("\(operation) \(answer.status) \(answer.body)")
            }
        }
        requireSuccess(of: open, succeeded, refused)
    }

    @Test("sign-in responses are as described: documents, tokens, claims, errors")
    func signIn() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let request = TestBrowser.Request(platform.acme)
            let back = try await browser.signIn(request)
            let redeemed = try await browser.redeem(try #require(back["code"]), request)
            let access = try #require(redeemed.json["access_token"] as? String)
            let token = try #require(specification.operations.first { $0.id == "token" })
            #expect(redeemed.status == 200)
            #expect(specification.violations(redeemed, of: token) == [])
            let again = try await browser.token(request, [("grant_type", "authorization_code"), ("code", "x")])
            #expect(again.status == 400)
            #expect(specification.violations(again, of: token) == [])
            for operation in specification.operations where operation.isOpen && operation.method == "GET" {
                for key in [access, "nonsense", nil] {
                    let path = operation.path.replacing("{tenant}", with: "acme")
                        .replacing("{clientID}", with: request.application.client_id)
                        .replacing(/\{(client|app)_id\}/, with: platform.acme.applications[1].client_id)
                        .replacing("{provider_type}", with: "apple")
                    let answer = try await browser.send(
                        "GET", TestPlatform.publicURL + path,
                        headers: key.map { [("Authorization", "Bearer \($0)")] } ?? [], body: nil)
                    #expect(specification.violations(answer, of: operation) == [], "\(operation) \(answer.status): \(answer.body)")
                }
            }
            let deletion = try #require(specification.operations.first { $0.id == "deleteOwnUser" })
            for (key, status) in [("nonsense", 401), (access, 200), (access, 401)] {
                let answer = try await browser.send(
                    "DELETE", "\(platform.acme.issuer)/users/me", headers: [("Authorization", "Bearer \(key)")], body: nil)
                #expect(answer.status == status)
                #expect(specification.violations(answer, of: deletion) == [], "\(answer.body)")
            }
        }
    }
}
