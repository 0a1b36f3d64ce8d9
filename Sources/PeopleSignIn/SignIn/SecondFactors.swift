import Access
import Factors
import Foundation
import People
import Postgres
import Sealing

/// The second factors of a person, after the password was right.
struct SecondFactors: Sendable {
    /// The origin of a code.
    enum Kind: String, Encodable {
        case authenticator, recoveryCode = "recovery_code"
    }

    /// Nil if the person has none, or has not confirmed it.
    let totp: PersonTOTP?
    let recoveryCodes: [StoredRecoveryCode]
    let passkeys: Int

    var takesCodes: Bool { totp != nil || !recoveryCodes.isEmpty }
    var isEmpty: Bool { !takesCodes && passkeys == 0 }

    fileprivate init(totp: Rows, recoveryCodes: Rows, passkeys: Rows) throws {
        self.totp = try totp.first(PersonTOTP.init).flatMap { $0.confirmedAt == nil ? nil : $0 }
        self.recoveryCodes = try recoveryCodes.map(StoredRecoveryCode.init)
        self.passkeys = passkeys.count
    }
}

extension StatementRunner {
    func secondFactors(of person: ID<Person>) async throws -> SecondFactors {
        let (totp, codes, passkeys) = try await run(
            PersonTOTP.find(of: person), StoredRecoveryCode.unused(of: person), PersonPasskey.all(of: person))
        return try SecondFactors(totp: totp, recoveryCodes: codes, passkeys: passkeys)
    }

    /// The account, and its second factors. Nil without an account.
    func personWithFactors(_ id: ID<Person>) async throws -> (person: Person, factors: SecondFactors)? {
        let (person, totp, codes, passkeys) = try await run(
            Person.find(id), PersonTOTP.find(of: id), StoredRecoveryCode.unused(of: id), PersonPasskey.all(of: id))
        return try person.first(Person.init).map { ($0, try SecondFactors(totp: totp, recoveryCodes: codes, passkeys: passkeys)) }
    }
}

extension SecondFactors {
    /// The statement that uses a typed code up: of the authenticator app, or a recovery code. Nil if the code is wrong. It must affect one
    /// row.
    func use(of typed: String, by person: ID<Person>, with keyring: Keyring, at now: Date) throws -> (kind: Kind, statement: SQL)? {
        if let totp, let key = AuthenticatorKey(bytes: try totp.secret(keyring).revealBytes()),
            let step = key.step(of: typed, after: totp.lastStep, at: now)
        {
            return (.authenticator, PersonTOTP.use(step: step, of: totp.id, at: now))
        }
        guard let code = RecoveryCode(typed),
            let place = code.position(in: recoveryCodes.map(\.digest), for: person.uuid, with: keyring)
        else { return nil }
        return (.recoveryCode, recoveryCodes[place].use(of: person, at: now))
    }
}

extension AccountEndpoints {
    /// Counts an attempt to give a code before its check. Then not even many at the same time are more than five.
    /// - Returns: the attempts since the last right code, or how long the person must wait, in seconds.
    /// - Parameter isRecovery: whether the person has come by the link of a recovery.
    func reserveCode(
        of person: ID<Person>, isRecovery: Bool = false, at now: Date
    ) async throws -> (attempts: Int, wait: TimeInterval?) {
        let (kind, name) = isRecovery ? (Person.Attempt.recovery, "recovery") : (.code, "code")
        let counted = try await people.run(Person.reserveAttempt(kind, of: person, at: now)).first { try $0.get("attempts", as: Int.self) }
        if let counted { return (counted, nil) }
        let wait = try await people.run(Person.codeFailures(of: person)).first {
            kind.wait(after: try $0.get("\(name)_failures"), lastAt: try $0.get("\(name)_failed_at"), at: now)
        }
        return (0, max(1, wait ?? 0))
    }
}

extension StepTicket {
    /// Whether the account has the password of this step, and its sessions were not ended since. A change of the password ends all sign-ins
    /// that are not finished.
    func isCurrent(for person: Person) -> Bool {
        [person.passwordChangedAt, person.sessionsValidAfter].allSatisfy { $0.map { $0 <= createdAt } ?? true }
    }
}
