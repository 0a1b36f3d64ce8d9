import Crypto
import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

@Suite("Add Apple key")
struct AddAppleKeyTests {
    @Test("an accepted key becomes the next one, and a second next key is refused")
    func added() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            let before = try await platform.call("GET", connection)
            let key = try await platform.simulator.makeKey(of: platform.own.team)
            let body: [String: any Sendable] = ["key_id": key.id, "private_key": key.pem]
            #expect(try await platform.call("POST", "\(connection)/apple-keys", body).status == 428)
            let stale = try await platform.call("POST", "\(connection)/apple-keys", body, headers: [("If-Match", "\"x\"")])
            #expect(stale.status == 412)
            let added = try await platform.change("POST", "\(connection)/apple-keys", of: connection, body)
            #expect(added.status == 201, "\(added.body)")
            #expect(added.json["state"] as? String == "next")
            #expect(added.json["proven_at"] != nil)
            #expect(!added.body.contains("PRIVATE"))
            let after = try await platform.call("GET", connection)
            #expect(after.keyStates == ["next \(key.id)", "current \(platform.own.keyID)"])
            #expect(after.version != before.version)
            #expect(after.version == added.version)
            #expect(try await platform.auditTrail(of: "addAppleKey").map(\.subject) == [added.resourceID])

            let again = try await platform.change("POST", "\(connection)/apple-keys", of: connection, body)
            #expect(again.status == 409)
            #expect(again.problem == "already_exists")
            try await platform.simulator.revokeKey(platform.own.keyID)
            let third = try await platform.simulator.makeKey(of: platform.own.team)
            let full = try await platform.change(
                "POST", "\(connection)/apple-keys", of: connection, ["key_id": third.id, "private_key": third.pem])
            #expect(full.status == 409)
            #expect(full.problem == "conflict")
            #expect(full.reason.contains(key.id))

            let list = try await platform.call("GET", "\(connection)/apple-keys?limit=1")
            #expect(list.elements.map { $0["key_id"] as? String } == [key.id])
            #expect(try await platform.call("GET", "\(connection)/apple-keys", key: platform.globex.api_keys[0].secret).status == 404)
            #expect(try await platform.call("GET", "/tenants/globex/connections/\(before.resourceID)/apple-keys").status == 404)
        }
    }

    @Test("a refused key is not stored, the likely cause is the key, and a wrong form is named")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            #expect(try await platform.check(connection).checkOutcome == "passed")
            let key = try await platform.simulator.makeKey(of: platform.own.team)
            let mistyped = (key.id.first == "A" ? "B" : "A") + key.id.dropFirst()
            let refused = try await platform.change(
                "POST", "\(connection)/apple-keys", of: connection, ["key_id": mistyped, "private_key": key.pem])
            #expect(refused.status == 422)
            #expect(refused.problem == "apple_refused")
            #expect(refused.reason.contains("with another key, so the likely cause is the key"), "\(refused.reason)")
            #expect(try await platform.call("GET", connection).keyStates == ["current \(platform.own.keyID)"])
            for (body, field) in [
                (["key_id": key.id, "private_key": WrongPEM.p384], "private_key"),
                (["key_id": platform.own.team, "private_key": key.pem], "key_id"), (["private_key": key.pem], "key_id"),
            ] {
                let answer = try await platform.change("POST", "\(connection)/apple-keys", of: connection, body)
                #expect(answer.status == 400)
                #expect(answer.refusalsByField[field] != nil)
            }
        }
    }

    @Test("without a response from Apple the key is stored unproven, and promoted only after Apple accepts it")
    func unproven() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            let key = try await platform.simulator.makeKey(of: platform.own.team)
            try await platform.simulator.fault([
                "endpoint": "token", "fault": "status", "status": 503, "client_id": platform.own.servicesID,
            ])
            let added = try await platform.change(
                "POST", "\(connection)/apple-keys", of: connection, ["key_id": key.id, "private_key": key.pem])
            #expect(added.status == 201)
            #expect(added.json["proven_at"] == nil)
            let promote = "\(connection)/apple-keys/\(added.resourceID)/promote"
            let early = try await platform.change("POST", promote, of: connection)
            #expect(early.status == 503)
            #expect(early.problem == "unavailable")
            #expect(try await platform.call("GET", connection).keyStates == ["next \(key.id)", "current \(platform.own.keyID)"])
            try await platform.simulator.send(.DELETE, "/simulator/faults?client_id=\(platform.own.servicesID)", [:])
            #expect(try await platform.change("POST", promote, of: connection).status == 200)
        }
    }

    @Test("a caller with repeated failures must wait, and Apple receives no further requests")
    func tooOften() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            let pem = P256.Signing.PrivateKey().pemRepresentation
            var statuses: [Int] = []
            for _ in 0..<60 where statuses.last != 429 {
                let answer = try await platform.change(
                    "POST", "\(connection)/apple-keys", of: connection, ["key_id": "WRONGKEY01", "private_key": pem])
                if answer.status == 429 { #expect(Int(answer.header("Retry-After") ?? "") ?? 0 > 0) }
                statuses.append(answer.status)
            }
            #expect(statuses.first == 422)
            #expect(statuses.last == 429)
        }
    }
}
