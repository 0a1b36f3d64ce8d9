import Access
import Encoding
import Foundation
import Hummingbird
import Passkeys
import People
import Sealing
import Sessions
import Web

/// A sign-in between its steps, sealed into a cookie of the browser. The database does not have it before all factors are right.
///
/// It is not a session: no page of the account accepts it.
struct StepTicket: Sendable {
    /// The proof that the person has given.
    enum Stage: Sendable {
        case start
        /// The password of an account was right.
        case password(ID<Person>)
        /// A new second factor, which the person has not confirmed.
        case enrollment(Enrollee, key: [UInt8])
    }

    /// The owner of a new second factor.
    enum Enrollee: Sendable {
        /// The password of the account was right, and the account has no second factor.
        case person(ID<Person>)
        /// The account of an invitation, which is created together with its factor.
        case invited(token: String, name: String, hash: Secret)
    }

    /// How long a step waits for the person, in seconds. A person who installs an app first gets more time.
    static let lifetime: TimeInterval = 600
    static let lifetimeOfEnrollment: TimeInterval = 1800
    private static let purpose = "account_step"

    /// Binds forms to this browser (`FormToken`).
    let secret: String
    let stage: Stage
    /// The page after the sign-in.
    var next: ReturnPath
    /// The address with which the person most likely signs in. Nil if nothing named one.
    var email: String?
    /// The challenge of the page for passkeys.
    var challenge: PasskeyChallenge?
    let expiresAt: Date

    /// A new step. Its secret is new, so nothing of an earlier step continues.
    init(_ stage: Stage, next: ReturnPath, at now: Date) {
        (secret, self.stage, self.next, challenge) = (RandomText.make(), stage, next, nil)
        expiresAt = now.addingTimeInterval(Self.lifetime(of: stage))
    }

    private static func lifetime(of stage: Stage) -> TimeInterval {
        switch stage {
        case .start, .password: lifetime
        case .enrollment: lifetimeOfEnrollment
        }
    }

    /// When the person proved the stage.
    var createdAt: Date { expiresAt.addingTimeInterval(-Self.lifetime(of: stage)) }

    /// Whether the person has proved nothing.
    var isStart: Bool { if case .start = stage { true } else { false } }
}

// MARK: Sealing

extension StepTicket {
    func sealed(with keyring: Keyring) -> String {
        var fields = FieldWriter()
        fields.write(expiresAt)
        fields.write(secret)
        fields.write(next.path)
        fields.write(email ?? "")
        fields.write(challenge?.bytes ?? [])
        fields.write(challenge?.createdAt ?? expiresAt)
        switch stage {
        case .start: fields.write([0])
        case .password(let person):
            fields.write([1])
            fields.write(person.uuid)
        case .enrollment(.person(let person), let key):
            fields.write([2])
            fields.write(key)
            fields.write(person.uuid)
        case .enrollment(.invited(let token, let name, let hash), let key):
            fields.write([3])
            fields.write(key)
            fields.write(token)
            fields.write(name)
            fields.write(hash.revealBytes())
        }
        return keyring.sealToken(fields.bytes, purpose: Self.purpose)
    }

    /// Nil unless this server sealed it, and the person was not too slow.
    init?(opening sealed: String, with keyring: Keyring, at now: Date) {
        guard let bytes = try? keyring.openToken(sealed, purpose: Self.purpose) else { return nil }
        var fields = FieldReader(bytes)
        do {
            (expiresAt, secret, next) = (try fields.date(), try fields.string(), ReturnPath(sealed: try fields.string()))
            let address = try fields.string()
            email = address.isEmpty ? nil : address
            challenge = PasskeyChallenge(saved: try fields.bytes(), createdAt: try fields.date())
            switch try fields.bytes() {
            case [0]: stage = .start
            case [1]: stage = .password(ID(try fields.uuid()))
            case [2]:
                let key = try fields.bytes()
                stage = .enrollment(.person(ID(try fields.uuid())), key: key)
            case [3]:
                let key = try fields.bytes()
                stage = .enrollment(
                    .invited(token: try fields.string(), name: try fields.string(), hash: Secret(bytes: try fields.bytes())), key: key)
            default: return nil
            }
        } catch { return nil }
        guard now < expiresAt else { return nil }
    }
}

// MARK: The cookie

extension AccountEndpoints {
    /// The step of a browser. Nil if it has none, or if it took too long.
    func step(_ request: Request) -> StepTicket? {
        AccountCookie.step.values(in: request, publicURL: publicURL).lazy
            .compactMap { StepTicket(opening: $0, with: keyring, at: now()) }.first
    }

    /// The cookie with a step.
    func cookie(_ step: StepTicket) -> String {
        AccountCookie.step.set(
            step.sealed(with: keyring), seconds: Int(step.expiresAt.timeIntervalSince(now()).rounded(.up)), publicURL: publicURL)
    }

    func formToken(_ step: StepTicket) -> FormToken { FormToken(for: step.secret, with: keyring) }

    /// The handler of a form of a sign-in that is not finished. Without a step, it leads to the start.
    func stepForm(
        upTo limit: Int = AccountEndpoints.longestForm,
        _ body: @escaping @Sendable (Request, OwnForm, StepTicket, WebContext) async throws -> Response
    ) -> Handler {
        answering { request, context in
            let form = try await ownForm(request, upTo: limit)
            guard let step = step(request) else { return .seeOther("/account/sign-in") }
            guard FormToken.isRight(form[FormToken.field], for: step.secret, with: keyring) else { throw ErrorPage.formNotCurrent }
            return try await body(request, form, step, context)
        }
    }
}
