import ArgumentParser

/// A client library, and the options of an application that match the library's defaults.
///
/// `applications register --for` sets these options. A test compares them with the table in docs/clients.md.
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

    /// Ignores upper and lower case.
    init?(argument: String) {
        self.init(rawValue: argument.lowercased())
    }

    /// The library's official name.
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

    /// The kind of application that uses this library.
    var kind: ApplicationKind {
        self == .appAuth ? .native : .web
    }

    /// Whether the library uses PKCE by default. If not, the application is exempt from PKCE.
    var usesPKCE: Bool {
        switch self {
        case .modAuthOpenIDC, .aspNetCore, .appAuth: true
        // Spring Security 7 and NextAuth 5 use PKCE. Their predecessors do not.
        case .allauth, .socialAuth, .mozillaDjangoOIDC, .authlib, .springSecurity, .nextAuth, .passport: false
        }
    }

    /// The signing algorithm: RS256 only if the library accepts nothing else by default. An ES256 signature costs the server far less.
    var signingAlgorithm: SigningAlgorithm {
        switch self {
        case .socialAuth, .springSecurity, .nextAuth: .rs256
        case .modAuthOpenIDC, .allauth, .mozillaDjangoOIDC, .authlib, .aspNetCore, .passport, .appAuth: .es256
        }
    }

    /// The library's authentication method at the token endpoint. The server accepts each of these, so no option is needed.
    var clientAuthentication: String {
        switch self {
        case .modAuthOpenIDC, .socialAuth, .authlib, .springSecurity, .nextAuth: "client_secret_basic"
        case .allauth, .mozillaDjangoOIDC, .aspNetCore, .passport: "client_secret_post"
        case .appAuth: "none"
        }
    }

    /// The end of the library's redirect URI by default. The developer chooses the parts in capitals. Nil if the developer chooses all of it.
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

    /// The setting that the library needs in addition to the endpoints, client ID and secret.
    var setting: String? {
        switch self {
        case .mozillaDjangoOIDC: #"OIDC_RP_SIGN_ALGO = "ES256""#
        case .aspNetCore: #"ResponseType = "code""#
        default: nil
        }
    }

    /// Whether a redirect URI has the library's default end.
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
