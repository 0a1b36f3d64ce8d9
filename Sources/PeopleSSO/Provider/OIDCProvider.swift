package import Access
import Crypto
import Delivery
package import Encoding
package import Foundation
package import Sealing

/// A client at an OpenID Connect provider. It signs people in with the authorization code flow, PKCE and a nonce (OpenID Connect Core,
/// section 3.1; RFC 9700).
///
///     authorizationURL → the browser → check(callback) → redeem → the verified account
package struct OIDCProvider: Sendable {
    package let tenant: ID<Tenant>
    package let issuer: String
    let clientID: String
    /// Nil for a public client.
    let secret: Secret?
    let redirectURI: String
    private let documents: ProviderDocuments

    package init(
        issuer: String, clientID: String, secret: Secret?, redirectURI: String, of tenant: ID<Tenant>, documents: ProviderDocuments
    ) {
        (self.issuer, self.clientID, self.secret, self.redirectURI) = (issuer, clientID, secret, redirectURI)
        (self.tenant, self.documents) = (tenant, documents)
    }

    /// A person as the provider describes it.
    package struct Account: Sendable {
        package let subject: String
        /// The address, if the provider has verified it.
        package let verifiedEmail: String?
        package let name: String?
        /// When the person signed in at the provider, if it says so.
        package let signedInAt: Date?
    }

    /// The URL to which the browser goes.
    /// - Parameter address: the address that the person entered, so that the provider need not ask for it again.
    /// - Throws: `OIDCRefusal`, `CancellationError`.
    package func authorizationURL(for attempt: OIDCAttempt, address: String?, at now: Date) async throws -> String {
        let endpoint = try await documents.metadata(of: issuer, tenant, at: now).authorizationEndpoint
        let query = Form.encode([
            "response_type": "code", "client_id": clientID, "redirect_uri": redirectURI, "scope": "openid email profile",
            "state": attempt.state, "nonce": attempt.nonce, "code_challenge": attempt.challenge, "code_challenge_method": "S256",
            "login_hint": address, "max_age": attempt.isAgain ? String(OIDCAttempt.maxAge) : nil,
        ])
        return endpoint + (endpoint.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    }

    /// Reads the response that the browser brought back.
    /// - Parameter query: its parameters. Their `state` belongs to the attempt.
    /// - Returns: the code.
    /// - Throws: `OIDCRefusal`, `CancellationError`.
    package func code(in query: Form, at now: Date) async throws -> String {
        let metadata = try await documents.metadata(of: issuer, tenant, at: now)
        // The response of another provider must not reach this one (RFC 9207, section 2.4).
        guard query["iss"].map({ $0.isSame(as: issuer) }) ?? !metadata.sendsIssuer
        else { throw OIDCRefusal(.authorization, "iss", "It differs from the issuer that you set, or is missing.") }
        if let error = query["error"] {
            throw OIDCRefusal(.authorization, "error", "The provider refuses the sign-in (\(OIDCRefusal.known(error) ?? "unknown error")).")
        }
        guard let code = query["code"], code.utf8.count <= 2048 else { throw OIDCRefusal(.authorization, "code", "It is missing.") }
        return code
    }

    /// Redeems a code, and verifies the id_token.
    /// - Throws: `OIDCRefusal`, `CancellationError`.
    package func redeem(_ code: String, of attempt: OIDCAttempt, at now: Date) async throws -> Account {
        let metadata = try await documents.metadata(of: issuer, tenant, at: now)
        let tokens = try await tokens(
            for: ["grant_type": "authorization_code", "code": code, "redirect_uri": redirectURI, "code_verifier": attempt.verifier],
            by: metadata)
        let token = try ProviderIDToken(
            tokens.idToken,
            for: .init(
                issuer: issuer, clientID: clientID, nonce: attempt.nonce, accessToken: tokens.accessToken,
                // An older one would only lead to the next sign-in.
                earliestSignIn: attempt.isAgain ? now.addingTimeInterval(-RecentSignIn.seconds) : nil),
            at: now)
        let keys = try await documents.keys(at: metadata.keysURI, of: tenant, at: now) { token.isNamed(in: $0) }
        guard token.isSigned(byKeyOf: keys)
        else { throw OIDCRefusal(.idToken, "signature", "No published key of the provider has signed it.") }
        return Account(
            subject: token.subject, verifiedEmail: token.verifiedEmail, name: token.name, signedInAt: token.signedInAt)
    }

    // MARK: The token endpoint

    private struct Tokens {
        let idToken, accessToken: String
    }

    private func tokens(for form: KeyValuePairs<String, String?>, by metadata: ProviderMetadata) async throws -> Tokens {
        let outcome = try await ask(metadata, form)
        switch outcome.answer {
        case .status(200): break
        case .status(let status):
            let code = Self.error(in: outcome.body).map { ", \($0)" } ?? ""
            throw OIDCRefusal(.token, "error", "The provider refuses the code (status \(status)\(code)).")
        case .failure(let failure): throw OIDCRefusal(.token, nil, "The token endpoint is unavailable (\(failure.rawValue)).")
        }
        guard case .object(let answer)? = try? JSONValue(json: outcome.body)
        else { throw OIDCRefusal(.token, nil, "The response is not a JSON object of up to 64 KiB.") }
        guard answer["token_type"]?.text?.asciiLowercased.isSame(as: "bearer") == true
        else { throw OIDCRefusal(.token, "token_type", "It must be Bearer.") }
        guard let accessToken = answer["access_token"]?.text, !accessToken.isEmpty
        else { throw OIDCRefusal(.token, "access_token", "It is missing.") }
        guard let idToken = answer["id_token"]?.text else { throw OIDCRefusal(.token, "id_token", "It is missing.") }
        return Tokens(idToken: idToken, accessToken: accessToken)
    }

    private func ask(_ metadata: ProviderMetadata, _ form: KeyValuePairs<String, String?>) async throws -> OutgoingRequest.Outcome {
        var headers = [("accept", "application/json"), ("content-type", "application/x-www-form-urlencoded")]
        var body = Form.encode(form)
        if let secret, metadata.authentication == .basic {
            // Both parts are encoded first (RFC 6749, section 2.3.1).
            let pair = "\(Form.encode(clientID)):\(Form.encode(secret.reveal()))"
            headers.append(("authorization", "Basic \(Data(pair.utf8).base64EncodedString())"))
        } else {
            body += "&" + Form.encode(["client_id": clientID, "client_secret": secret?.reveal()])
        }
        return try await OutgoingRequest(
            url: metadata.tokenEndpoint, headers: headers, body: Array(body.utf8), allowsPrivate: documents.allowsPrivate
        ).ask(within: ProviderDocuments.limit, reading: ProviderDocuments.longest, of: 200..<402)
    }

    /// The error code of a refusal, if it is a known one.
    private static func error(in body: [UInt8]) -> String? {
        guard case .object(let answer)? = try? JSONValue(json: body) else { return nil }
        return OIDCRefusal.known(answer["error"]?.text)
    }
}

// MARK: The check

extension OIDCProvider {
    /// Looks at everything that needs no person: the documents, and the client's secret, with a code that cannot be valid.
    /// - Returns: the refusals, in the order of the steps. Empty if the provider is ready.
    /// - Throws: `CancellationError`.
    func check(at now: Date) async throws -> [OIDCRefusal] {
        var refusals: [OIDCRefusal] = []
        let metadata: ProviderMetadata
        do { metadata = try await documents.metadata(of: issuer, tenant, isFresh: true, at: now) } catch let refusal as OIDCRefusal {
            return [refusal]
        }
        do { _ = try await documents.keys(at: metadata.keysURI, of: tenant, at: now) { _ in true } } catch let refusal as OIDCRefusal {
            refusals.append(refusal)
        }
        let outcome = try await ask(
            metadata,
            [
                "grant_type": "authorization_code", "code": "espalier-check", "redirect_uri": redirectURI,
                "code_verifier": OIDCAttempt.makeVerifier(),
            ])
        switch outcome.answer {
        case .failure(let failure):
            refusals.append(OIDCRefusal(.token, nil, "The token endpoint is unavailable (\(failure.rawValue))."))
        case .status(let status):
            switch Self.error(in: outcome.body) {
            // The client was accepted, and the code was not.
            case "invalid_grant", "invalid_request": break
            case "invalid_client", "unauthorized_client":
                refusals.append(OIDCRefusal(.token, "client_secret", "The provider refuses the client ID or the secret."))
            case let code:
                refusals.append(
                    OIDCRefusal(
                        .token, "error", "The response to an invalid code must be invalid_grant. It is \(code ?? "unknown") (\(status))."))
            }
        }
        return refusals
    }
}
