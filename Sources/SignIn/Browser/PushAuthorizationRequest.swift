import Access
import ClientKeys
import Encoding
import Hummingbird
import Sessions
import Tenancy
import Users
import Web

/// The reference to a pushed request (RFC 9126, section 2.2).
private struct Reply: Encodable {
    let request_uri: String
    let expires_in = Int(PushedRequest.lifetime)
}

extension SignInRoutes {
    /// Receives an authorization request from the application itself (RFC 9126). Nobody else can read or change it, and the browser carries
    /// only a reference. A wrong request fails here, and not in front of the user.
    @Sendable
    func pushAuthorizationRequest(_ request: Request, _ context: WebContext) async throws -> Response {
        do {
            let reply = try await endpoints.reportingOutage(context) { try await pushed(request, context) }
            metrics.count(.push, "ok")
            return try .json(reply, status: .created, headers: [.cacheControl: "no-store"])
        } catch {
            metrics.count(.push, (error as? OAuthError)?.code.rawValue ?? "unexpected")
            throw error
        }
    }

    private func pushed(_ request: Request, _ context: WebContext) async throws -> Reply {
        guard let tenant = try await endpoints.tenant(context) else { throw Problem.notFound("tenant") }
        let form = try await endpoints.postedForm(request, context, repeatable: TokenTarget.resource)
        // It comes before the authentication, because the first proof usually lacks a nonce, and an assertion works only once.
        let proof = try endpoints.proof(in: request, context)
        let application = try await endpoints.authenticate(request, form, tenant, context)
        guard form["request_uri"] == nil else { throw OAuthError(.invalidRequest, "A pushed request cannot have a request_uri.") }
        guard proof == nil || form["dpop_jkt"] == nil || form["dpop_jkt"]?.isSame(as: proof?.key.text ?? "") == true
        else { throw OAuthError(.invalidRequest, "dpop_jkt is not the key of the DPoP proof.") }

        // The id_token may be longer than a pushed request, so only its user is kept.
        var hint: ID<User>?
        if tenant.tenant.settings.singleSignOn, let token = form["id_token_hint"] {
            hint = try await signInNatively.tokens.hint(token, of: tenant.tenant)?.sub
            guard hint != nil else { throw OAuthError(.invalidRequest, "id_token_hint is not an id_token of this issuer.") }
        }
        let sent = PushedRequest(form, expecting: hint, boundTo: proof?.key, by: application.id, of: tenant.tenant.id, at: endpoints.now())
        let apis = try await signInNatively.tokens.apis(for: form, TokenTarget.resource, of: tenant.tenant)
        do {
            _ = try AuthorizationRequest(
                try sent.form, from: tenant.applications, apis: apis, issuer: endpoints.issuer(tenant.tenant),
                otherIssuers: endpoints.issuers(tenant.tenant), slug: tenant.tenant.slug, isPushed: true,
                hasSingleSignOn: tenant.tenant.settings.singleSignOn)
        } catch let refusal as RedirectedError {
            // Only the browser can tell that a user must sign in, so `prompt=none` fails there.
            guard refusal.code == .loginRequired else { throw OAuthError(refusal) }
        } catch let page as ErrorPage {
            throw OAuthError(.invalidRequest, page.explanation)
        } catch is Form.Refusal {
            throw OAuthError(.invalidRequest, "The request has too many parameters.")
        }
        guard let uri = sent.uri(with: endpoints.keyring)
        else { throw OAuthError(.invalidRequest, "The request is too long to push. Shorten state, nonce or redirect_uri.") }
        return Reply(request_uri: uri)
    }
}
