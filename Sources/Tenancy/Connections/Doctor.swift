import Access
import Apple
import Foundation
import Sealing

/// Says which field of a connection's credentials is wrong, before a user meets it.
///
/// Apple answers every mistake with `invalid_client` and nothing more. So all that can be known without Apple is looked at first,
/// and of what is left the doctor says what is likely, never more than it knows.
struct Doctor: Sendable {
    let apple: AppleClient
    let keyring: Keyring

    /// A connection's identifiers and one key of it.
    struct Credentials: Sendable {
        let teamID: String
        let servicesID: String
        let keyID: String
        let key: Result<ApplePrivateKey, KeyTrouble>
        /// The connection and owner that the doctor's calls are for.
        let share: AppleShare
        /// Whether Apple has accepted this Team ID and Services ID with another key: then these two are right.
        var hasProvenSibling = false
    }

    /// Why there is no key to sign with.
    enum KeyTrouble: Error {
        case refused(ApplePrivateKey.Refusal)
        case notOpened
        case missing
    }

    /// How far this server's clock may differ from Apple's, in seconds: a client secret is dated back by as much.
    static let clockLeeway: TimeInterval = 60

    /// Runs all the steps. It waits for Apple, twice at the most.
    /// - Throws: `CancellationError`.
    func check(_ credentials: Credentials, at now: Date) async throws -> ConnectionCheck {
        var steps = Self.formSteps(credentials)
        guard case .success(let key) = credentials.key, !steps.contains(where: { $0.outcome == .failed }) else {
            steps += [Step.Name.signature, .tokenEndpoint, .clock].map { Step($0, .skipped, "What comes before it has to be right first.") }
            return ConnectionCheck(steps, at: now)
        }
        let began = ContinuousClock.now
        let probe: AppleProbe
        do throws(AppleError) {
            probe = try await apple.probe(credentials.forApple(key), at: now)
        } catch {
            switch error {
            case .cancelled: throw CancellationError()
            case .unsigned:
                steps.append(Step(.signature, .failed, "The key does not sign. Upload the AuthKey_….p8 file as Apple's portal gave it."))
                steps += [Step.Name.tokenEndpoint, .clock].map { Step($0, .skipped, "Without a signature Apple is not asked.") }
            default:
                steps.append(Step(.signature, .passed, "The key signs a client secret."))
                steps.append(
                    Step(.tokenEndpoint, .unreachable, "\(error) Nothing is known of the credentials; check again in a few minutes."))
                steps.append(Step(.clock, .skipped, "Apple's answer would tell."))
            }
            return ConnectionCheck(steps, at: now)
        }
        let took = began.duration(to: .now) / .seconds(1)
        let ahead = probe.date.map { Self.secondsAhead(from: now, to: now + took, of: $0) }
        let clock = Self.clockStep(ahead)
        steps.append(Step(.signature, .passed, "The key signs a client secret."))
        if probe.refusal == .invalidClient, clock.outcome != .failed, try await areSwapped(credentials, key, at: now) {
            steps = steps.map { step -> Step in
                switch step.step {
                case .teamID: Step(.teamID, .failed, "This is the Key ID: Apple accepts the Team ID \(credentials.keyID).")
                case .keyID: Step(.keyID, .failed, "This is the Team ID: Apple accepts the Key ID \(credentials.teamID).")
                default: step
                }
            }
            steps.append(
                Step(
                    .tokenEndpoint, .failed,
                    "Team ID and Key ID are swapped: Apple accepts them the other way round. Create the connection anew with Team ID \(credentials.keyID) and Key ID \(credentials.teamID)."
                ))
        } else {
            steps.append(Self.tokenStep(probe.refusal, credentials, isClockWrong: clock.outcome == .failed))
        }
        return ConnectionCheck(steps + [clock], at: now)
    }

    /// Whether Apple accepts the Team ID as the Key ID and the other way round.
    private func areSwapped(_ credentials: Credentials, _ key: ApplePrivateKey, at now: Date) async throws -> Bool {
        let swapped = Credentials(
            teamID: credentials.keyID, servicesID: credentials.servicesID, keyID: credentials.teamID, key: credentials.key,
            share: credentials.share)
        do throws(AppleError) {
            return try await apple.probe(swapped.forApple(key), at: now).isAccepted
        } catch {
            if case .cancelled = error { throw CancellationError() }
            return false
        }
    }
}

// MARK: The steps

extension Doctor {
    private typealias Step = ConnectionCheck.Step

    /// What can be seen without Apple.
    private static func formSteps(_ credentials: Credentials) -> [Step] {
        let (team, key, services) = (credentials.teamID, credentials.keyID, credentials.servicesID)
        func step(_ name: Step.Name, _ refusal: String?, _ fine: String) -> Step {
            refusal.map { Step(name, .failed, $0) } ?? Step(name, .passed, fine)
        }
        return [
            keyStep(credentials.key),
            step(
                .teamID, AppleIdentifiers.refusal(ofTeamID: team, servicesID: services, keyID: key), "\(team) has the form of a Team ID."),
            key.isEmpty
                ? Step(.keyID, .skipped, "There is no key.")
                : step(.keyID, AppleIdentifiers.refusal(ofKeyID: key, teamID: team), "\(key) has the form of a Key ID."),
            step(.servicesID, AppleIdentifiers.refusal(ofServicesID: services), "\(services) has the form of a Services ID."),
        ]
    }

    private static func keyStep(_ key: Result<ApplePrivateKey, KeyTrouble>) -> Step {
        switch key {
        case .success: .init(.privateKey, .passed, "It is a private key on the curve P-256, as Apple's are.")
        case .failure(.refused(let refusal)): .init(.privateKey, .failed, refusal.description)
        case .failure(.notOpened):
            .init(
                .privateKey, .failed,
                "The stored key cannot be opened with this server's master keys. Give the server the master key that sealed it, or add the key again."
            )
        case .failure(.missing): .init(.privateKey, .failed, "The connection has no key in use. Add one, and promote it.")
        }
    }

    private static func tokenStep(_ refusal: OAuthErrorCode, _ credentials: Credentials, isClockWrong: Bool) -> Step {
        let (team, key, services) = (credentials.teamID, credentials.keyID, credentials.servicesID)
        switch refusal {
        case .invalidGrant:
            return .init(.tokenEndpoint, .passed, "Apple accepts the Services ID \(services) of team \(team) with key \(key).")
        case .invalidClient where isClockWrong:
            return .init(
                .tokenEndpoint, .failed,
                "Apple answers invalid_client. The likely cause is this server's clock (see the step clock): set it, then check again.")
        case .invalidClient where credentials.hasProvenSibling:
            return .init(
                .tokenEndpoint, .failed,
                "Apple answers invalid_client. It has accepted this Team ID and Services ID with another key, so the likely cause is the key: \(key) is not the Key ID of this file (its name is AuthKey_, the Key ID, .p8), or the key was revoked at Apple."
            )
        case .invalidClient:
            return .init(
                .tokenEndpoint, .failed,
                "Apple answers invalid_client, and does not say why. The likely causes, in this order: \(key) is not the Key ID of this key's file (its name is AuthKey_, the Key ID, .p8), or the key was revoked; the Services ID \(services) is mistyped (capitals count), or not one of team \(team); the key is not enabled for Sign in with Apple. Compare each in Apple's portal under Certificates, Identifiers & Profiles."
            )
        default: return .init(.tokenEndpoint, .failed, "Apple answers \(refusal). \(refusal.advice)")
        }
    }

    /// By how many seconds this server's clock is ahead of Apple's, negative when it is behind, given that Apple's answer was
    /// written some time between two of our moments. Its `Date` leaves out the fraction of a second.
    static func secondsAhead(from sent: Date, to received: Date, of apple: Date) -> TimeInterval {
        if apple > received { return received.timeIntervalSince(apple) }
        return max(0, sent.timeIntervalSince(apple + 1))
    }

    private static func clockStep(_ ahead: TimeInterval?) -> Step {
        guard let ahead else { return .init(.clock, .skipped, "Apple's answer did not say what time it is.") }
        let seconds = Int(abs(ahead).rounded())
        guard abs(ahead) > clockLeeway
        else { return .init(.clock, .passed, "This server's clock and Apple's differ by \(seconds) s at the most.") }
        return .init(
            .clock, .failed,
            ahead > 0
                ? "This server's clock is \(seconds) s ahead of Apple's, which refuses client secrets from the future. Have it set by NTP."
                : "This server's clock is \(seconds) s behind Apple's, whose identity tokens then seem to come from the future. Have it set by NTP."
        )
    }
}

extension Doctor.Credentials {
    fileprivate func forApple(_ key: ApplePrivateKey) -> AppleClientCredentials {
        AppleClientCredentials(teamID: teamID, clientID: servicesID, keyID: keyID, keyVersion: "check", share: share) { key }
    }
}

extension Doctor {
    /// Checks a stored connection with one of its keys.
    /// - Returns: what was found, and the fingerprint of the key, as far as it could be opened.
    func check(
        _ details: ConnectionDetails, with key: AppleKey?, at now: Date
    ) async throws -> (check: ConnectionCheck, fingerprint: [UInt8]?) {
        let opened = open(key)
        let credentials = Credentials(
            teamID: details.connection.teamID, servicesID: details.connection.servicesID, keyID: key?.keyID ?? "", key: opened,
            share: AppleShare(connection: details.connection.id.uuid, tenant: details.connection.owner),
            hasProvenSibling: details.keys.contains { $0.provenAt != nil && $0.id != key?.id })
        return (try await check(credentials, at: now), try? opened.get().fingerprint)
    }

    private func open(_ key: AppleKey?) -> Result<ApplePrivateKey, KeyTrouble> {
        guard let key else { return .failure(.missing) }
        guard let pem = try? key.open(with: keyring) else { return .failure(.notOpened) }
        do throws(ApplePrivateKey.Refusal) { return .success(try ApplePrivateKey(pem: pem)) } catch { return .failure(.refused(error)) }
    }
}
