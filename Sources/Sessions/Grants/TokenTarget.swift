package import APIs
package import Access
package import Encoding
import Tenancy

/// The target of access tokens (RFC 8707, section 2; RFC 8693, section 2.1): one of the tenant's APIs, or the issuer.
///
/// A request names an API by its audience. Without one, an access token is for the issuer: Espalier's own endpoints accept it, and the
/// tenant's resource servers that have no audience of their own.
package enum TokenTarget {
    /// The parameters that name a target. Each may be repeated.
    package static let resource: Set = ["resource"]
    package static let resourceOrAudience: Set = ["resource", "audience"]
    /// How many APIs an authorization may have. Their IDs are part of a code.
    package static let mostAPIs = 4

    /// The reason why the targets of a request are refused. The error code is `invalid_target`.
    package struct Refusal: Error {
        package let description: String
    }

    /// An API that a request names, with the scopes that its application may request.
    package struct NamedAPI: Sendable {
        package let api: API
        package let scopes: [String]
    }

    /// The APIs that a request names, in the order of the request. The issuer is not one of them.
    /// - Parameters:
    ///   - names: the parameters that name a target in this request.
    ///   - apis: the APIs of the tenant.
    ///   - issuers: the tenant's issuers, that of the request first.
    package static func apis(
        named form: Form, _ names: Set<String>, by application: ID<Application>, among apis: [API],
        issuers: @autoclosure () -> [String]
    ) throws(Refusal) -> [NamedAPI] {
        guard names.contains(where: { !form.values($0).isEmpty }) else { return [] }
        let issuers = issuers()
        var named: [NamedAPI] = []
        for name in names.sorted() {
            for value in form.values(name) where !issuers.has(value) {
                // One text for both reasons, because anybody can send this to the authorization endpoint.
                guard let api = apis.first(where: { $0.audience.utf8.elementsEqual(value.utf8) }), let scopes = api.scopes(for: application)
                else {
                    throw Refusal(
                        description:
                            "\(name) is unknown, or its API does not list this application. Send the audience of an API that lists "
                            + "the application, send \(issuers.first ?? ""), or omit \(name).")
                }
                if !named.contains(where: { $0.api.id == api.id }) { named.append(NamedAPI(api: api, scopes: scopes)) }
            }
        }
        guard named.count <= mostAPIs else { throw Refusal(description: "A request may name at most \(mostAPIs) APIs.") }
        return named
    }

    /// Whether a request names a target other than the issuer. Only then are the tenant's APIs read.
    package static func namesAPI(_ form: Form, _ names: Set<String>, issuers: @autoclosure () -> [String]) -> Bool {
        names.contains { name in form.values(name).contains { !issuers().has($0) } }
    }
}

extension Tokens {
    /// The tenant's APIs, if the request names a target other than the issuer.
    package func apis(for form: Form, _ names: Set<String>, of tenant: Tenant) async throws -> [API] {
        guard TokenTarget.namesAPI(form, names, issuers: [endpoints.issuer(tenant)] + endpoints.issuers(tenant)) else { return [] }
        return try await apis.apis(of: tenant.id)
    }

    /// The names of APIs of a tenant with those of the scopes that an application may request there, for a page.
    package func access(
        _ scope: String, to ids: [ID<API>], by application: ID<Application>, _ tenant: Tenant
    ) async throws -> [(name: String, scopes: [String])] {
        guard !ids.isEmpty else { return [] }
        let (all, scopes) = (try await apis.apis(of: tenant.id), scope.parts(at: " "))
        return ids.compactMap { id in all.first { $0.id == id } }.map { api in
            (api.name, (api.scopes(for: application) ?? []).filter { scopes.has($0) })
        }
    }

    /// The target that a token request names: nil without one.
    /// - Throws: `OAuthError` unless it is the issuer, or an API that lists the application.
    func target(of form: Form, _ application: Application, _ tenant: Tenant) async throws -> Target? {
        let values = form.values("resource")
        guard !values.isEmpty else { return nil }
        // A token has one audience, so that a resource server cannot use it elsewhere (RFC 8707, section 3).
        guard values.allSatisfy({ $0.utf8.elementsEqual(values[0].utf8) })
        else { throw OAuthError(.invalidTarget, "An access token is for one target. Send one resource per token request.") }
        return try await apis(named: form, TokenTarget.resource, by: application, tenant).first.map(Target.api) ?? .issuer
    }

    /// The APIs that a request of an application names.
    /// - Throws: `OAuthError` unless each target is the issuer, or an API that lists the application.
    package func apis(
        named form: Form, _ names: Set<String>, by application: Application, _ tenant: Tenant
    ) async throws -> [TokenTarget.NamedAPI] {
        let apis = try await apis(for: form, names, of: tenant)
        do throws(TokenTarget.Refusal) {
            return try TokenTarget.apis(
                named: form, names, by: application.id, among: apis, issuers: [endpoints.issuer(tenant)] + endpoints.issuers(tenant))
        } catch {
            throw OAuthError(.invalidTarget, error.description)
        }
    }

    enum Target: Sendable {
        case issuer
        case api(TokenTarget.NamedAPI)
    }

    /// The API of a new access token; nil for the issuer.
    ///
    /// A request without a target gets the first API of the authorization. The result is nil if this API was deleted or does not list the
    /// application any longer. Then a refresh gives a token without a scope, because an error would use up the refresh token and end the
    /// session later, and the client would send a token with scopes of the issuer to an API that has lost its trust.
    /// - Parameter granted: the APIs of the authorization.
    func api(
        for target: Target?, granted: [ID<API>], _ application: Application, _ tenant: Tenant
    ) async throws -> TokenTarget.NamedAPI? {
        switch target {
        case .issuer: return nil
        case .api(let named):
            guard granted.contains(named.api.id)
            else {
                throw OAuthError(.invalidTarget, "The user's sign-in did not include this resource. Send it at the authorization endpoint.")
            }
            return named
        case nil:
            guard let first = granted.first else { return nil }
            guard let api = try await apis.apis(of: tenant.id).first(where: { $0.id == first }),
                let scopes = api.scopes(for: application.id)
            else { return nil }
            return TokenTarget.NamedAPI(api: api, scopes: scopes)
        }
    }

    /// The scope of an access token: the part of the granted scope that its target understands.
    /// - Parameter granted: the APIs of the authorization. Without any, the whole scope is for the issuer.
    func scope(_ scope: String, for api: TokenTarget.NamedAPI?, _ target: Target?, granted: [ID<API>]) -> String {
        guard !granted.isEmpty else { return scope }
        guard api != nil || target != nil else { return "" }
        let understood = api?.scopes ?? Scope.supported
        return scope.parts(at: " ").filter { understood.has($0) }.joined(separator: " ")
    }
}
