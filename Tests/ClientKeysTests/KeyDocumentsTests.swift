import Access
@testable import ClientKeys
import Foundation
import Logging
import TestSupport
import Testing

/// The limits of the fetches of published keys. Times are arguments, so no test waits for them.
@Suite("Key documents")
struct KeyDocumentsTests {
    private static let tenant = ID<Tenant>(at: Date())
    private static let start = Date(timeIntervalSince1970: 1_795_000_000)

    private static func documents() -> KeyDocuments {
        KeyDocuments(allowsPrivate: true, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The IDs of the keys, or the reason for their absence.
    private static func keys(
        _ documents: KeyDocuments, _ uri: String, after seconds: TimeInterval = 0, of tenant: ID<Tenant> = tenant, with id: String? = nil
    ) async -> [String] {
        do {
            let set = try await documents.keys(at: uri, of: tenant, at: start.addingTimeInterval(seconds)) { set in
                id.map { !set.candidates($0).isEmpty } ?? true
            }
            return set.keys.compactMap(\.keyID)
        } catch { return [error.description] }
    }

    @Test("keys are used for 5 minutes without a request, and then fetched again")
    func freshness() async throws {
        let (first, second) = (try ClientKey.document(ClientKey("1")), try ClientKey.document(ClientKey("2")))
        try await WebhookReceiver.run { receiver in
            let documents = Self.documents()
            receiver.answer(.body(first))
            #expect(await Self.keys(documents, receiver.url) == ["1"])
            receiver.answer(.body(second))
            #expect(await Self.keys(documents, receiver.url, after: 299) == ["1"])
            #expect(receiver.received.count == 1)
            #expect(await Self.keys(documents, receiver.url, after: 301) == ["2"])
            #expect(receiver.received.count == 2)
        }
    }

    @Test("100 concurrent callers cause one fetch, and other tenants have their own")
    func together() async throws {
        let document = try ClientKey.document(ClientKey("1"))
        try await WebhookReceiver.run { receiver in
            let documents = Self.documents()
            receiver.answer(.body(document))
            let found = await withTaskGroup(of: [String].self) { group in
                for _ in 0..<100 { group.addTask { await Self.keys(documents, receiver.url) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(found.allSatisfy { $0 == ["1"] } && found.count == 100)
            #expect(receiver.received.count == 1)
            #expect(await Self.keys(documents, receiver.url, of: ID(at: Date())) == ["1"])
            #expect(receiver.received.count == 2)
        }
    }

    @Test("invented key IDs cause at most 5 fetches, and one more per 30 s")
    func budget() async throws {
        let document = try ClientKey.document(ClientKey("1"))
        try await WebhookReceiver.run { receiver in
            let documents = Self.documents()
            receiver.answer(.body(document))
            for number in 0..<100 { #expect(await Self.keys(documents, receiver.url, with: "no-\(number)") == ["1"]) }
            #expect(receiver.received.count == 5)
            for number in 0..<100 { _ = await Self.keys(documents, receiver.url, after: 31, with: "no-\(number)") }
            #expect(receiver.received.count == 6)
            // The real key needs no fetch.
            #expect(await Self.keys(documents, receiver.url, after: 31, with: "1") == ["1"])
            #expect(receiver.received.count == 6)
        }
    }

    @Test("the last keys of an unavailable document are valid for one hour")
    func outage() async throws {
        let document = try ClientKey.document(ClientKey("1"))
        try await WebhookReceiver.run { receiver in
            let documents = Self.documents()
            receiver.answer(.body(document))
            #expect(await Self.keys(documents, receiver.url) == ["1"])
            receiver.answer(.status(500))
            #expect(await Self.keys(documents, receiver.url, after: 3599) == ["1"])
            let late = await Self.keys(documents, receiver.url, after: 3601)
            #expect(late != ["1"] && late.count == 1, "\(late)")
        }
    }

    @Test(
        "a document that is too long, without a usable key, or elsewhere has no keys",
        arguments: [
            WebhookReceiver.Answer.status(404), .status(204), .body("{}"), .body(#"{"keys":[{"kty":"OKP"}]}"#), .redirect(to: "/hook"),
            .body(#"{"keys":[],"x":"\#(String(repeating: "a", count: 70_000))"}"#), .endless,
        ])
    func unusable(_ answer: WebhookReceiver.Answer) async throws {
        try await WebhookReceiver.run { receiver in
            let documents = Self.documents()
            receiver.answer(answer)
            let found = await Self.keys(documents, receiver.url)
            #expect(found.count == 1 && found[0].hasPrefix("The application's jwks_uri is unavailable"), "\(found)")
            #expect(receiver.received.count == 1)
        }
    }
}
