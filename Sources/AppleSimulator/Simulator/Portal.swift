import Crypto
import HTTPTypes
import Hummingbird
import Synchronization

/// Apple's developer portal over HTTP: teams, Services IDs, keys; and the people.
extension SimulatedApple {
    /// A JSON body of at most 1 MiB.
    func body(_ request: Request) async throws -> JSONValue {
        let body = try await request.body.collect(upTo: 1 << 20)
        guard let value = try? JSONValue(parsing: body.readableBytesView) else { throw RegistryError("is not JSON") }
        return value
    }

    func showRegistry(_ request: Request, context: SimulatorContext) async throws -> Response {
        .json(state.withLock { $0.registry }.json)
    }

    func putTeam(_ request: Request, context: SimulatorContext) async throws -> Response {
        let team = try Team(id: context.parameters.require("team"), JSONFields(try await body(request)))
        try state.withLock { state throws(RegistryError) in try state.registry.put(team) }
        return .json(["id": .string(team.id)])
    }

    func putServicesID(_ request: Request, context: SimulatorContext) async throws -> Response {
        var fields = try JSONFields(try await body(request))
        let team = try fields.string("team")
        let servicesID = try ServicesID(id: context.parameters.require("services_id"), team: team, fields)
        try state.withLock { state throws(RegistryError) in
            try state.registry.put(servicesID, allowsLoopback: configuration.allowsLoopbackRedirects)
        }
        return .json(servicesID.json)
    }

    /// Registers a public key, or creates a key pair and returns its private half once, as the portal's download
    /// does.
    func addKey(_ request: Request, context: SimulatorContext) async throws -> Response {
        var fields = try JSONFields(try await body(request))
        let (team, id) = (try fields.string("team"), try fields.optionalString("id"))
        let pem = try fields.optionalString("public_key")
        try fields.end()
        let made = pem == nil ? P256.Signing.PrivateKey() : nil
        let publicKey = try made?.publicKey ?? AppleKey.parse(pem ?? "", for: fields)
        let key = try state.withLock { state throws(RegistryError) in
            let key = AppleKey(id: id ?? state.registry.freeKeyID(), team: team, publicKey: publicKey, status: .active)
            try state.registry.add(key)
            return key
        }
        var answer: [String: JSONValue] = ["id": .string(key.id), "team": .string(team)]
        answer["private_key"] = made.map { .string($0.pemRepresentation + "\n") }
        return .json(.object(answer), status: .created)
    }

    func revokeKey(_ request: Request, context: SimulatorContext) async throws -> Response {
        let id = try context.parameters.require("key")
        try state.withLock { state throws(RegistryError) in try state.registry.revokeKey(id) }
        return Response(status: .noContent)
    }

    func listPeople(_ request: Request, context: SimulatorContext) async throws -> Response {
        let people = state.withLock { state in state.registry.peopleInOrder.compactMap { state.registry.people[$0]?.json } }
        return .json(["people": .array(people)])
    }

    /// Returns the teams that a person has consented to. The ID is the name in lowercase with hyphens, and the person need
    /// not be registered.
    func listConsents(_ request: Request, context: SimulatorContext) async throws -> Response {
        let person = try context.parameters.require("person")
        let consents = state.withLock { $0.grants.consents(of: person) }.map { consent -> JSONValue in
            ["team": .string(consent.team), "subject": .string(consent.subject), "email": consent.email.map { .string($0) } ?? .null]
        }
        return .json(["consents": .array(consents)])
    }

    /// Adds a person, or replaces the person with the same name.
    func addPerson(_ request: Request, context: SimulatorContext) async throws -> Response {
        let person = try Person(JSONFields(try await body(request)))
        state.withLock { $0.registry.put(person) }
        return .json(person.json, status: .created)
    }
}
