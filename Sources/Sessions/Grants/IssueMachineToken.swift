import APIs
import Access
import ClientKeys
import Encoding
import Foundation
import Signing
import Tenancy

extension Tokens {
    /// The client credentials grant (RFC 6749, section 4.4): an access token with which a program acts for itself at one of the tenant's
    /// APIs.
    ///
    /// There is no session and no refresh token, and it is not billed. The token is never for the issuer. Otherwise each program could call
    /// every resource server that has no audience of its own.
    func issueMachineToken(_ form: Form, _ key: KeyThumbprint?, _ application: Application, _ tenant: Tenant) async throws -> TokenReply {
        guard application.kind == .machine
        else { throw OAuthError(.unauthorizedClient, "Only an application of kind machine may use client_credentials.") }
        try application.requireProof(key)
        let named = try await namedAPI(form, application, tenant)
        let asked = (form["scope"] ?? "").parts(at: " ")
        // A scope that is not granted is refused, because no person sees that it is missing.
        guard asked.allSatisfy({ named.scopes.has($0) }) else {
            let permitted = named.scopes.isEmpty ? "none" : named.scopes.joined(separator: " ")
            throw OAuthError(.invalidScope, "scope exceeds the permitted scopes of the API. Permitted: \(permitted).")
        }
        let scope = (asked.isEmpty ? named.scopes : named.scopes.filter { asked.has($0) }).joined(separator: " ")
        guard scope.utf8.count <= Scope.longest
        else { throw OAuthError(.invalidScope, "The permitted scope is longer than \(Scope.longest) bytes. Send scope with fewer scopes.") }
        let signingKey = try await signingKeys.current(application.signingAlgorithm, of: tenant.id)
        let token = try MachineToken(
            issuer: endpoints.issuer(tenant), application: application.id, tenant: tenant.id, scope: scope, for: named.api,
            boundTo: key, at: endpoints.now()
        ).signed(by: signingKey, of: signingKeys)
        return TokenReply(
            access_token: token, scheme: .init(boundTo: key), expires_in: named.api.accessTokenSeconds, refresh_token: nil, id_token: nil,
            scope: Scope.shown(scope))
    }

    /// The API that the request names. A program that may call only one API need not name it.
    private func namedAPI(_ form: Form, _ application: Application, _ tenant: Tenant) async throws -> TokenTarget.NamedAPI {
        switch try await target(of: form, application, tenant) {
        case .api(let named): return named
        case .issuer:
            throw OAuthError(.invalidTarget, "resource must be the audience of an API. The token of a machine is never for the issuer.")
        case nil:
            let permitted = try await apis.apis(of: tenant.id).compactMap { api in
                api.scopes(for: application.id).map { TokenTarget.NamedAPI(api: api, scopes: $0) }
            }
            guard let only = permitted.first else {
                throw OAuthError(
                    .unauthorizedClient,
                    "No API lists this application. Add it: espalierctl apis update API --tenant \(tenant.slug) --application \(application.id)"
                )
            }
            guard permitted.count == 1 else {
                let audiences = permitted.map(\.api.audience).joined(separator: ", ")
                throw OAuthError(.invalidTarget, "resource is missing. Send one of these audiences: \(audiences).")
            }
            return only
        }
    }
}
