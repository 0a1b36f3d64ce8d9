import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

extension SimulatedApple {
    /// `POST /auth/token`: checks the client before the code, so that an invented code shows whether a credential is valid.
    func token(_ request: Request, context: SimulatorContext) async throws -> Response {
        guard let form = try await form(request) else {
            return oauthError("invalid_request", "the body is not a form with each field once")
        }
        return try await answer(.token, clientID: form["client_id"], context: context) { faults in
            for case .error(let code) in faults { return oauthError(code, "a fault") }
            let client: Registry.Client
            let offset = faults.reduce(0) { if case .clock(let seconds) = $1 { $0 + seconds } else { $0 } }
            let isMigrating = form["grant_type"] == "client_credentials"
            switch try await authenticate(form, migrating: isMigrating, at: now + Double(offset)) {
            case .client(let known): client = known
            case .refused(let response): return response
            }
            switch form["grant_type"] {
            case "authorization_code": return try await redeemCode(form, client: client, faults: faults)
            case "refresh_token": return try await refresh(form, client: client, faults: faults)
            case "client_credentials": return grantMigration(form, client: client)
            case nil: return oauthError("invalid_request", "grant_type is missing")
            default:
                return oauthError("unsupported_grant_type", "grant_type must be authorization_code, refresh_token or client_credentials")
            }
        }
    }

    enum Authentication {
        case client(Registry.Client)
        case refused(Response)
    }

    /// Authenticates the sender of the form by `client_id` and `client_secret`.
    /// - Parameter migrating: Whether the former team of a recently transferred client may also send it.
    func authenticate(_ form: Form, migrating: Bool = false, at now: Date) async throws -> Authentication {
        guard let clientID = form["client_id"] else { return .refused(oauthError("invalid_request", "client_id is missing")) }
        guard let secret = form["client_secret"] else { return .refused(oauthError("invalid_request", "client_secret is missing")) }
        // Not the whole registry. While the signature is checked, a copy of the registry would make each new person copy all
        // people.
        let (client, keys, transfer) = state.withLock {
            ($0.registry.client(clientID), $0.registry.keys, migrating ? $0.transfers.underWay(clientID, at: now) : nil)
        }
        if let client, let transfer,
            let former = try? await ClientSecret.verify(
                secret, of: client.asOf(transfer.from), audience: configuration.issuer, keys: keys, at: now)
        {
            return .client(former)
        }
        do throws(ClientSecret.Refusal) {
            return .client(
                try await ClientSecret.verify(secret, of: client, audience: configuration.issuer, keys: keys, at: now))
        } catch {
            return .refused(oauthError("invalid_client", error.rawValue))
        }
    }

    private func redeemCode(_ form: Form, client: Registry.Client, faults: [Fault.Effect]) async throws -> Response {
        guard let value = form["code"] else { return oauthError("invalid_request", "code is missing") }
        let (code, accessToken, refreshToken): (Grants.Code, String, String)
        do throws(Grants.CodeRefusal) {
            (code, accessToken, refreshToken) = try state.withLock { state throws(Grants.CodeRefusal) in
                let code = try state.grants.redeem(value, clientID: client.id, redirectURI: form["redirect_uri"], at: now)
                return (
                    code, state.grants.issue(.access, for: code.consent, clientID: client.id, at: now),
                    state.grants.issue(.refresh, for: code.consent, clientID: client.id, at: now)
                )
            }
        } catch {
            return oauthError("invalid_grant", error.rawValue)
        }
        let idToken = IDToken(
            issuer: configuration.issuer, clientID: client.id, consent: code.consent, nonce: code.nonce,
            realUserStatus: code.realUserStatus, accessToken: accessToken,
            transferSubject: state.withLock { $0.transferSubject(of: code.consent, clientID: client.id, at: now) })
        return try await tokens(idToken, accessToken: accessToken, refreshToken: refreshToken, faults: faults)
    }

    private func refresh(_ form: Form, client: Registry.Client, faults: [Fault.Effect]) async throws -> Response {
        guard let value = form["refresh_token"] else { return oauthError("invalid_request", "refresh_token is missing") }
        let refreshed = state.withLock { state -> (Grants.Token, String)? in
            guard let token = state.grants.refreshToken(value, clientID: client.id) else { return nil }
            return (token, state.grants.issue(.access, for: token.consent, clientID: client.id, at: now))
        }
        guard let (token, accessToken) = refreshed else {
            return oauthError("invalid_grant", "the refresh token is unknown, revoked or another client's")
        }
        let idToken = IDToken(
            issuer: configuration.issuer, clientID: client.id, consent: token.consent, accessToken: accessToken,
            transferSubject: state.withLock { $0.transferSubject(of: token.consent, clientID: client.id, at: now) })
        return try await tokens(idToken, accessToken: accessToken, refreshToken: nil, faults: faults)
    }

    private func tokens(_ idToken: IDToken, accessToken: String, refreshToken: String?, faults: [Fault.Effect]) async throws -> Response {
        var answer: [String: JSONValue] = [
            "access_token": .string(accessToken), "token_type": "Bearer", "expires_in": .integer(Int(Grants.accessTokenLifetime)),
            "id_token": .string(try await signingKeys.sign(idToken.claims(at: now), faults: faults)),
        ]
        let withholds = faults.contains { if case .noRefreshToken = $0 { true } else { false } }
        if let refreshToken, !withholds { answer["refresh_token"] = .string(refreshToken) }
        return .json(.object(answer))
    }
}
