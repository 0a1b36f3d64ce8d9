import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import Synchronization

/// The events that Apple sends to a team's notification URL. Apple's page "Processing changes for Sign in with Apple
/// accounts".
enum NotificationType: String, CaseIterable {
    case consentRevoked = "consent-revoked"
    case accountDelete = "account-delete"
    case accountDeleted = "account-deleted"
    case emailEnabled = "email-enabled"
    case emailDisabled = "email-disabled"
}

/// The form of `events` and `event_time`.
enum NotificationForm: String, CaseIterable {
    /// A JSON string with milliseconds, as Apple really sends it.
    case seen
    /// An object with seconds, as in Apple's documentation.
    case documented
}

extension SimulatedApple {
    /// `POST /simulator/notifications`: signs an event of a person's account and sends it to the team's notification URL.
    func notify(_ request: Request, context: SimulatorContext) async throws -> Response {
        var fields = try JSONFields(try await body(request))
        let (clientID, name) = (try fields.string("client_id"), try fields.string("person"))
        guard let type = try fields.choice("type", NotificationType.self) else { throw fields.error("type", "is missing") }
        let form = try fields.choice("form", NotificationForm.self) ?? .seen
        try fields.end()
        let (url, consent) = try state.withLock { state throws(RegistryError) in
            guard let client = state.registry.client(clientID) else { throw fields.error("client_id", "is not registered") }
            guard let url = state.registry.teams[client.team]?.notificationURL else {
                throw fields.error("client_id", "belongs to a team without a notification URL")
            }
            let person = state.registry.person(named: name)
            guard let consent = state.grants.consent(of: person.id, to: client.team) else {
                throw fields.error("person", "has not consented to this team")
            }
            switch type {
            case .consentRevoked, .accountDelete, .accountDeleted: state.grants.endConsent(of: person.id, to: client.team)
            case .emailEnabled, .emailDisabled: break
            }
            return (url, consent)
        }
        let id = randomToken(bytes: 16)
        let payload = try await signingKeys.sign(envelope(type, form, id: id, clientID: clientID, consent: consent))
        return try await deliver(["payload": .string(payload)], id: id, to: url)
    }

    /// `POST /simulator/notifications/sign`: returns the payload of a notification with these claims. The caller sends it.
    func signNotification(_ request: Request, context: SimulatorContext) async throws -> Response {
        let claims = try await body(request)
        guard case .object = claims else { throw RegistryError("is not an object of claims") }
        return .json(["payload": .string(try await signingKeys.sign(claims))])
    }

    private func envelope(
        _ type: NotificationType, _ form: NotificationForm, id: String, clientID: String, consent: Grants.Consent
    ) -> JSONValue {
        let seconds = now.timeIntervalSince1970
        var event: [String: JSONValue] = [
            "type": .string(type.rawValue), "sub": .string(consent.subject),
            "event_time": .integer(form == .seen ? Int(seconds * 1000) : Int(seconds)),
        ]
        if type == .emailEnabled || type == .emailDisabled {
            event["email"] = consent.email.map { .string($0) }
            event["is_private_email"] = IDToken.claim(consent.isPrivateEmail, consent.person.booleanStyle)
        }
        let events = JSONValue.object(event)
        return [
            "iss": .string(configuration.issuer), "aud": .string(clientID), "iat": .integer(Int(seconds)), "jti": .string(id),
            "events": form == .seen ? .string(events.text) : events,
        ]
    }

    /// Posts the envelope. The response contains the receiver's status, or an error if there was none.
    private func deliver(_ envelope: JSONValue, id: String, to url: String) async throws -> Response {
        var post = HTTPClientRequest(url: url)
        post.method = .POST
        post.headers.add(name: "content-type", value: "application/json")
        post.body = .bytes(ByteBuffer(string: envelope.text))
        do {
            let answer = try await Self.http.execute(post, timeout: .seconds(10))
            return .json(["jti": .string(id), "url": .string(url), "status": .integer(Int(answer.status.code))])
        } catch {
            note("not delivered", "\(error)")
            return .json(
                ["jti": .string(id), "url": .string(url), "error": "The notification could not be delivered."], status: .badGateway)
        }
    }
}
