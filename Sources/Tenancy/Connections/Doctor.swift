import Access
import Apple
import Foundation
import Sealing

/// Names the wrong field of a connection's credentials before a user is affected.
///
/// Apple responds to every mistake with `invalid_client` and nothing more. So the doctor first checks everything that needs no request to
/// Apple. For the rest it names the likely cause, and never claims more than it knows.
struct Doctor: Sendable {
    let apple: AppleClient
    let keyring: Keyring

    /// A connection's identifiers and one key of it.
    struct Credentials: Sendable {
        let teamID: String
        let servicesID: String
        let keyID: String
        let key: Result<ApplePrivateKey, KeyTrouble>
        /// The connection and the owner of the doctor's calls.
        let share: AppleShare
        /// Whether Apple has accepted this Team ID and Services ID with another key. If so, these two are right.
        var hasProvenSibling = false
    }

    /// The reason for a missing signing key.
    enum KeyTrouble: Error {
        case refused(ApplePrivateKey.Refusal)
        case notOpened
        case missing
    }

    /// How far this server's clock may differ from Apple's, in seconds. A client secret is backdated by this amount.
    static let clockLeeway: TimeInterval = 60

    /// Runs all steps. It sends at most two requests to Apple.
    /// - Throws: `CancellationError`.
    func check(_ credentials: Credentials, at now: Date) async throws -> ConnectionCheck {
        var steps = Self.formSteps(credentials)
        guard case .success(let key) = credentials.key, !steps.contains(where: { $0.outcome == .failed }) else {
            steps += [Step.Name.signature, .tokenEndpoint, .clock].map { Step($0, .skipped, "The steps before this one must pass first.") }
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
                steps.append(Step(.signature, .failed, "The key does not sign. Upload the AuthKey_….p8 file from Apple's portal."))
                steps += [Step.Name.tokenEndpoint, .clock].map { Step($0, .skipped, "The check at Apple needs a signature.") }
            default:
                steps.append(Step(.signature, .passed, "The key signs a client secret."))
                steps.append(
                    Step(.tokenEndpoint, .unreachable, "\(error) The credentials are unchecked. Check again in a few minutes."))
                steps.append(Step(.clock, .skipped, "This step needs a response from Apple."))
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
                case .teamID: Step(.teamID, .failed, "This is the Key ID. Apple accepts the Team ID \(credentials.keyID).")
                case .keyID: Step(.keyID, .failed, "This is the Team ID. Apple accepts the Key ID \(credentials.teamID).")
                default: step
                }
            }
            steps.append(
                Step(
                    .tokenEndpoint, .failed,
                    "Team ID and Key ID are swapped. Apple accepts them the other way round. Create the connection again with Team ID \(credentials.keyID) and Key ID \(credentials.teamID)."
                ))
        } else {
            steps.append(Self.tokenStep(probe.refusal, credentials, isClockWrong: clock.outcome == .failed))
        }
        return ConnectionCheck(steps + [clock], at: now)
    }

    /// Whether Apple accepts the credentials with Team ID and Key ID swapped.
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

    /// The steps that need no request to Apple.
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
                ? Step(.keyID, .skipped, "The connection has no key.")
                : step(.keyID, AppleIdentifiers.refusal(ofKeyID: key, teamID: team), "\(key) has the form of a Key ID."),
            step(.servicesID, AppleIdentifiers.refusal(ofServicesID: services), "\(services) has the form of a Services ID."),
        ]
    }

    private static func keyStep(_ key: Result<ApplePrivateKey, KeyTrouble>) -> Step {
        switch key {
        case .success: .init(.privateKey, .passed, "It is a private key on the curve P-256, like every Apple key.")
        case .failure(.refused(let refusal)): .init(.privateKey, .failed, refusal.description)
        case .failure(.notOpened):
            .init(
                .privateKey, .failed,
                "The stored key cannot be opened with this server's master keys. Configure the master key that sealed it, or add the key again."
            )
        case .failure(.missing): .init(.privateKey, .failed, "The connection has no key in use. Add a key and promote it.")
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
                "Apple returns invalid_client. The likely cause is this server's clock (see the step clock). Set it, then check again.")
        case .invalidClient where credentials.hasProvenSibling:
            return .init(
                .tokenEndpoint, .failed,
                "Apple returns invalid_client. It accepted this Team ID and Services ID with another key, so the likely cause is the key: \(key) is not the Key ID of this file (its name is AuthKey_, the Key ID, .p8), or the key was revoked at Apple."
            )
        case .invalidClient:
            return .init(
                .tokenEndpoint, .failed,
                "Apple returns invalid_client without a reason. The likely causes, in this order: \(key) is not the Key ID of this key's file (its name is AuthKey_, the Key ID, .p8), or the key was revoked; the Services ID \(services) is mistyped (capitals count), or not one of team \(team); the key is not enabled for Sign in with Apple. Compare each in Apple's portal under Certificates, Identifiers & Profiles."
            )
        default: return .init(.tokenEndpoint, .failed, "Apple returns \(refusal). \(refusal.advice)")
        }
    }

    /// The seconds by which this server's clock is ahead of Apple's, negative if it is behind. Apple wrote the response between `sent` and
    /// `received`. Its `Date` header has no fraction of a second.
    static func secondsAhead(from sent: Date, to received: Date, of apple: Date) -> TimeInterval {
        if apple > received { return received.timeIntervalSince(apple) }
        return max(0, sent.timeIntervalSince(apple + 1))
    }

    private static func clockStep(_ ahead: TimeInterval?) -> Step {
        guard let ahead else { return .init(.clock, .skipped, "Apple's response contains no time.") }
        let seconds = Int(abs(ahead).rounded())
        guard abs(ahead) > clockLeeway
        else { return .init(.clock, .passed, "This server's clock and Apple's differ by at most \(seconds) s.") }
        return .init(
            .clock, .failed,
            ahead > 0
                ? "This server's clock is \(seconds) s ahead of Apple's clock. Apple refuses client secrets from the future. Use NTP."
                : "This server's clock is \(seconds) s behind Apple's clock. Apple's identity tokens then seem to be from the future. Use NTP."
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
    /// - Returns: the result, and the key's fingerprint if the key could be opened.
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
