import ArgumentParser

/// A client library, with the options of an application for its default settings. `applications register --for` sets them. A test
/// compares them with the table in docs/clients.md.
enum ClientLibrary: String, CaseIterable, ExpressibleByArgument {
    case modAuthOpenIDC = "mod_auth_openidc"
    case allauth
    case socialAuth = "social-auth"
    case mozillaDjangoOIDC = "mozilla-django-oidc"
    case authlib
    case springSecurity = "spring-security"
    case aspNetCore = "aspnetcore"
    case nextAuth = "nextauth"
    case passport
    case appAuth = "appauth"

    /// Upper and lower case are the same.
    init?(argument: String) {
        self.init(rawValue: argument.lowercased())
    }

    /// As its makers write it.
    var title: String {
        switch self {
        case .modAuthOpenIDC: "Apache mod_auth_openidc"
        case .allauth: "django-allauth"
        case .socialAuth: "social-auth (Python Social Auth)"
        case .mozillaDjangoOIDC: "mozilla-django-oidc"
        case .authlib: "Authlib"
        case .springSecurity: "Spring Security 6"
        case .aspNetCore: "ASP.NET Core"
        case .nextAuth: "NextAuth 4 (Auth.js)"
        case .passport: "Passport (passport-openidconnect)"
        case .appAuth: "AppAuth"
        }
    }

    /// Where programs with this library run.
    var kind: ApplicationKind {
        self == .appAuth ? .native : .web
    }

    /// Whether it uses PKCE without being told. If not, the application is exempt from it.
    var usesPKCE: Bool {
        switch self {
        case .modAuthOpenIDC, .aspNetCore, .appAuth: true
        // Spring Security 7 and NextAuth 5 use it, their predecessors do not.
        case .allauth, .socialAuth, .mozillaDjangoOIDC, .authlib, .springSecurity, .nextAuth, .passport: false
        }
    }

    /// RS256 only where it accepts nothing else by default: an ES256 signature costs the server far less.
    var signingAlgorithm: SigningAlgorithm {
        switch self {
        case .socialAuth, .springSecurity, .nextAuth: .rs256
        case .modAuthOpenIDC, .allauth, .mozillaDjangoOIDC, .authlib, .aspNetCore, .passport, .appAuth: .es256
        }
    }

    /// How it authenticates at the token endpoint. The server accepts each of them, so nothing is set.
    var clientAuthentication: String {
        switch self {
        case .modAuthOpenIDC, .socialAuth, .authlib, .springSecurity, .nextAuth: "client_secret_basic"
        case .allauth, .mozillaDjangoOIDC, .aspNetCore, .passport: "client_secret_post"
        case .appAuth: "none"
        }
    }

    /// How its redirect URI ends by default. A part in capitals is the developer's choice. Nil where all of it is.
    var redirectPath: String? {
        switch self {
        case .allauth: "/accounts/oidc/PROVIDER_ID/login/callback/"
        case .socialAuth: "/complete/oidc/"
        case .mozillaDjangoOIDC: "/oidc/callback/"
        case .springSecurity: "/login/oauth2/code/REGISTRATION_ID"
        case .aspNetCore: "/signin-oidc"
        case .nextAuth: "/api/auth/callback/PROVIDER_ID"
        case .modAuthOpenIDC, .authlib, .passport, .appAuth: nil
        }
    }

    /// The setting that the library needs besides the endpoints, client ID and secret.
    var setting: String? {
        switch self {
        case .mozillaDjangoOIDC: #"OIDC_RP_SIGN_ALGO = "ES256""#
        case .aspNetCore: #"ResponseType = "code""#
        default: nil
        }
    }

    /// Whether the redirect URI ends as the library's do by default.
    func returns(to uri: String) -> Bool {
        guard let redirectPath else { return true }
        let pattern = redirectPath.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        let path = uri.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        guard path.count >= pattern.count + 3 else { return false }
        return zip(pattern, path.suffix(pattern.count)).allSatisfy { part, given in
            part == given || (!given.isEmpty && !part.isEmpty && part.allSatisfy { $0.isUppercase || $0 == "_" })
        }
    }
}
