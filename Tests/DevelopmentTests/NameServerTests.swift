import Foundation
import TestSupport
import Testing

@testable import Development
@testable import Domains

/// The DNS server of `espalier-dev dev`.
@Suite("Name server")
struct NameServerTests {
    @Test("it proves a domain by a line of the file, without a restart, and leaves all other names to the next resolver")
    func proves() async throws {
        let folder = try TemporaryFolder()
        let server = try await NameServer.start(records: URL(filePath: folder.path + "/dns.txt"))
        let own = try #require(ResolverAddress("127.0.0.1:\(server.port)"))
        func look(_ value: String, _ name: String) async throws -> DomainProof.Result {
            try await DomainProof(resolvers: [own], allowsPrivate: true).look(for: value, inRecord: name)
        }
        #expect(try await look("proof", "_espalier-sso.acme.example") == .unknown)
        let long = String(repeating: "x", count: 600)
        _ = try folder.write(
            "dns.txt",
            "# records\n_espalier-sso.acme.example other\r\n_Espalier-SSO.acme.example  proof\nb\u{301}.example proof\nlong.example \(long)"
        )
        #expect(try await look("proof", "_espalier-sso.acme.example") == .found)
        #expect(try await look("other", "_ESPALIER-sso.acme.example") == .found)
        #expect(try await look("pro", "_espalier-sso.acme.example") == .missing)
        #expect(try await look(long, "long.example") == .found)
        #expect(try await look("proof", "acme.example") == .unknown)
        try await TestResolver.run { next in
            next.publish("proof", at: "elsewhere.example")
            let resolvers = [own, try #require(ResolverAddress(next.setting))]
            let proof = DomainProof(resolvers: resolvers, allowsPrivate: true)
            #expect(try await proof.look(for: "proof", inRecord: "elsewhere.example") == .found)
        }
    }

    @Test("a message that is not a question for one name has no response")
    func malformed() throws {
        let query = try #require(DNSMessage.query(.txt, of: "acme.example", id: 7))
        let records = Array("acme.example proof".utf8)
        let response = try #require(NameServer.response(to: query, records: records))
        #expect(try DNSMessage.answer(in: response, to: .txt, of: "acme.example", id: 7) == .records([Array("proof".utf8)]))
        for count in query.indices { #expect(NameServer.response(to: Array(query[..<count]), records: records) == nil) }
        #expect(NameServer.response(to: response, records: records) == nil)
        var label = query
        label[12] = 0xC0
        #expect(NameServer.response(to: label, records: records) == nil)
        // An address of the name is a question for the next resolver.
        let other = try #require(DNSMessage.query(.a, of: "acme.example", id: 7))
        #expect(try #require(NameServer.response(to: other, records: records))[3] & 0x0F == 5)
    }
}
