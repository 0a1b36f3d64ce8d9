import NIOCore
import TestSupport
import Testing

@testable import Domains

@Suite("DNS client")
struct DNSClientTests {
    private static let proof = Array("espalier-domain=x".utf8)

    private static func client(_ resolver: TestResolver, limit: TimeAmount = .seconds(30)) throws -> DNSClient {
        DNSClient(resolvers: [try #require(ResolverAddress(resolver.setting))], limit: limit)
    }

    @Test("it finds the records of a name, also behind an alias, and nothing for a name without records")
    func finds() async throws {
        try await TestResolver.run { resolver in
            resolver.publish("other", "espalier-domain=x", at: "_espalier.a.test")
            resolver.set(alias: "_espalier.a.test", of: "_espalier.b.test")
            resolver.set(address: [192, 0, 2, 7], of: "a.test")
            let client = try Self.client(resolver)
            #expect(try await client.records(.txt, of: "_espalier.a.test") == [Array("other".utf8), Self.proof])
            #expect(try await client.records(.txt, of: "_espalier.b.test").last == Self.proof)
            #expect(try await client.records(.a, of: "a.test") == [[192, 0, 2, 7]])
            #expect(try await client.records(.txt, of: "nothing.test").isEmpty)
        }
    }

    @Test("a response that does not fit into a datagram comes by TCP")
    func truncated() async throws {
        try await TestResolver.run { resolver in
            let long = String(repeating: "x", count: 3000)
            resolver.publish(long, "espalier-domain=x", at: "_espalier.a.test")
            resolver.respond(.truncate)
            let records = try await Self.client(resolver).records(.txt, of: "_espalier.a.test")
            #expect(records == [Array(long.utf8), Self.proof])
        }
    }

    @Test("forged responses are ignored until the right one comes")
    func forgeries() async throws {
        try await TestResolver.run { resolver in
            resolver.publish("espalier-domain=x", at: "_espalier.a.test")
            resolver.respond(.answerAfterForgeries)
            let records = try await Self.client(resolver).records(.txt, of: "_espalier.a.test")
            #expect(records == [Self.proof])
        }
    }

    @Test("a resolver that fails, is silent or does not exist gives no answer, which is not the same as no record")
    func failures() async throws {
        try await TestResolver.run { resolver in
            resolver.respond(.fail)
            await #expect(throws: DNSClient.Failure.noAnswer) { try await Self.client(resolver).records(.txt, of: "a.test") }
            resolver.respond(.silence)
            await #expect(throws: DNSClient.Failure.noAnswer) {
                try await Self.client(resolver, limit: .milliseconds(90)).records(.txt, of: "a.test")
            }
            try await eventually("all repetitions arrive") { resolver.datagrams == 4 }
        }
        let nobody = DNSClient(resolvers: [try #require(ResolverAddress("127.0.0.1:9"))], limit: .seconds(1))
        await #expect(throws: DNSClient.Failure.noAnswer) { try await nobody.records(.txt, of: "a.test") }
    }

    @Test("the next resolver is asked if one gives no answer, and not after an answer without records")
    func next() async throws {
        try await TestResolver.run { first in
            try await TestResolver.run { second in
                second.publish("espalier-domain=x", at: "_espalier.a.test")
                let resolvers = [try #require(ResolverAddress(first.setting)), try #require(ResolverAddress(second.setting))]
                let client = DNSClient(resolvers: resolvers, limit: .seconds(30))
                first.respond(.fail)
                #expect(try await client.records(.txt, of: "_espalier.a.test") == [Self.proof])
                first.respond(.answer)
                #expect(try await client.records(.txt, of: "_espalier.a.test").isEmpty)
                #expect(second.asked.count == 1)
            }
        }
    }

    @Test("the resolvers of the system are the first 3 of its file, or this machine")
    func ofSystem() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "resolv.conf",
            """
            # nameserver 10.0.0.1
            search example.com
            nameserver\t10.0.0.2
            nameserver dns.example
            nameserver  2001:db8::2\u{20}
            nameserver 10.0.0.4
            nameserver 10.0.0.5

            """)
        #expect(ResolverAddress.ofSystem(file: file).map(\.description) == ["10.0.0.2:53", "[2001:db8::2]:53", "10.0.0.4:53"])
        #expect(ResolverAddress.ofSystem(file: "\(file)x").map(\.description) == ["127.0.0.1:53"])
    }

    @Test(
        "the address of a resolver is an IP address with an optional port",
        arguments: ["10.0.0.2": 53, "10.0.0.2:5353": 5353, "[2001:db8::2]": 53, "[2001:db8::2]:54": 54])
    func addresses(text: String, port: Int) {
        #expect(ResolverAddress(text)?.port == port)
    }

    @Test(
        "every other text is refused",
        arguments: [
            "", "dns.example", "10.0.0.2:", "10.0.0.2:x", "10.0.0.2:0", "10.0.0.2:65536", "2001:db8::2", "[::1", "[::1]x",
            "10.0.0.2\u{301}", "10.0.0.2:5\u{600}3", "1.2.3.4 ",
        ])
    func noAddresses(text: String) {
        #expect(ResolverAddress(text) == nil)
    }
}
