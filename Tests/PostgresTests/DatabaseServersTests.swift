import Postgres
import TestSupport
import Testing

@Suite("Servers of a database URL")
struct DatabaseServersTests {
    @Test(
        "loopback and sockets are on this machine",
        arguments: [
            "postgresql:///espalier", "postgresql://u@/d?host=/run/postgresql", "postgresql://u@/d?host=%2Frun%2Fpostgresql",
            "host=@espalier dbname=d", "postgresql://u@localhost/d", "postgresql://u@127.0.0.1/d", "postgresql://u@127.8.9.10:5433/d",
            "postgresql://u@[::1]/d", "postgresql://u@127.0.0.1,localhost:5433,[::1]/d", "host=db.example.com hostaddr=127.0.0.1",
            "hostaddr=::1 dbname=d", "host=/run,localhost hostaddr=,127.0.0.1",
        ])
    func local(_ url: String) throws {
        #expect(try DatabaseServers(url: url).remote == [])
    }

    @Test(
        "every other server is on another machine",
        arguments: [
            ("postgresql://u@db.example.com/d", ["db.example.com"]),
            ("postgresql://u@127.0.0.1,db.example.com/d", ["db.example.com"]),
            ("postgresql://u@a.example:1,b.example:2/d?sslmode=require", ["a.example", "b.example"]),
            ("host=localhost hostaddr=10.0.0.1", ["10.0.0.1"]),
            ("host=/run,localhost hostaddr=10.0.0.1,", ["10.0.0.1"]),
            ("hostaddr=::2", ["::2"]),
            ("postgresql://u@127.0.0.1.example.com/d", ["127.0.0.1.example.com"]),
            ("postgresql://u@localhost.example.com/d", ["localhost.example.com"]),
            ("postgresql://u@127.1/d", ["127.1"]),
            ("host='localhost\u{301}'", ["localhost\u{301}"]),
            ("postgresql://u:a@b@/d", ["b@"]),
        ])
    func remote(_ url: String, _ servers: [String]) throws {
        #expect(try DatabaseServers(url: url).remote.map { Array($0.utf8) } == servers.map { Array($0.utf8) })
        #expect(try !DatabaseServers(url: url).isVerified)
    }

    @Test("only sslmode=verify-full is verified")
    func verified() throws {
        #expect(try DatabaseServers(url: "postgresql://u@a,b/d?sslmode=verify-full").isVerified)
        for mode in ["disable", "allow", "prefer", "require", "verify-ca", "verify-full\u{301}", "VERIFY-FULL"] {
            #expect(try !DatabaseServers(url: "host=a sslmode='\(mode)'").isVerified, "\(mode)")
        }
    }

    @Test("a URL that libpq cannot parse, and an unknown service, are errors without a part of the URL")
    func invalid() async throws {
        for url in ["mysql://swordfish", "postgresql://swordfish@h/d?nonsense=1", "swordfish", "service=swordfish"] {
            let error = await databaseError { _ = try DatabaseServers(url: url) }
            #expect(error?.kind == .misuse, "\(url)")
            #expect(error?.description.contains("swordfish") == false)
        }
    }

    @Test("it opens no connection")
    func passive() throws {
        let listener = try SilentListener()
        #expect(try DatabaseServers(url: "postgresql://u@127.0.0.1:\(listener.port)/d").remote == [])
        #expect(!listener.hasConnection)
    }
}
