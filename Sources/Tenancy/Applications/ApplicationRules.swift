import Encoding
package import Web

// Rules for combinations of an application's fields. `ApplicationFields` and `RedirectURI` check each field individually.
extension Application {
    /// The fields that its kind does not permit.
    package var misfits: [Problem.Field] {
        var found: [Problem.Field] = []
        if kind == .machine {
            for (field, uris) in [("redirect_uris", redirectURIs), ("logout_uris", logoutURIs)] where !uris.isEmpty {
                found.append(.init(field, "An application of kind `machine` does not support sign-in. Leave it empty."))
            }
            if backchannelLogoutURI != nil {
                found.append(.init("backchannel_logout_uri", "An application of kind `machine` does not support sign-in. Leave it out."))
            }
            if frontchannelLogoutURI != nil {
                found.append(.init("frontchannel_logout_uri", "An application of kind `machine` does not support sign-in. Leave it out."))
            }
            if loginURL != nil {
                found.append(.init("login_url", "An application of kind `machine` does not support sign-in. Leave it out."))
            }
            if signInPage != nil {
                found.append(.init("sign_in_page", "An application of kind `machine` does not support sign-in. Leave it out."))
            }
            if requiresName {
                found.append(.init("requires_name", "An application of kind `machine` does not support sign-in. Leave it out."))
            }
            if allowsDevelopmentURIs {
                found.append(.init("allows_development_uris", "An application of kind `machine` has no redirect URIs. Leave it out."))
            }
            if requiresOfflineAccess {
                found.append(.init("requires_offline_access", "An application of kind `machine` has no refresh tokens. Leave it out."))
            }
            if requiresPushedRequests {
                found.append(.init("requires_pushed_requests", "An application of kind `machine` does not support sign-in. Leave it out."))
            }
        } else if redirectURIs.isEmpty {
            found.append(.init("redirect_uris", "It must have at least one URI, to which browsers return."))
        }
        // The scheme, host and port of a redirect URI (OpenID Connect Front-Channel Logout, section 2).
        if kind != .machine, let origin = frontchannelLogoutURI.flatMap(RedirectURI.origin),
            !redirectURIs.contains(where: { RedirectURI.origin(of: $0)?.isSame(as: origin) == true })
        {
            found.append(.init("frontchannel_logout_uri", "It must have the scheme, host and port of one of the `redirect_uris`."))
        }
        if !allowsDevelopmentURIs {
            for (field, uris) in [("redirect_uris", redirectURIs), ("logout_uris", logoutURIs)] {
                for (index, uri) in uris.enumerated() where kind == .native || !RedirectURI.isPrivateUse(uri) {
                    guard let development = DevelopmentURI(uri) else { continue }
                    found.append(
                        .init(
                            "\(field)[\(index)]",
                            """
                            `\(development.name)` is for development only. Register an exact URI, or set `allows_development_uris` to \
                            true: `espalierctl applications update APP --tenant SLUG --development-uris`.
                            """))
                }
            }
        }
        if kind != .native {
            for (field, uris) in [("redirect_uris", redirectURIs), ("logout_uris", logoutURIs)] {
                for (index, uri) in uris.enumerated() where RedirectURI.isPrivateUse(uri) {
                    found.append(
                        .init("\(field)[\(index)]", "Only an application of kind `native` can have its own scheme. Use https."))
                }
            }
            if !bundleIDs.isEmpty { found.append(.init("bundle_ids", "Only an application of kind `native` can have bundle IDs.")) }
        }
        if returnsTokensInURL, kind != .native, kind != .spa {
            found.append(
                .init("returns_tokens_in_url", "Only an application of kind `native` or `spa` can receive tokens in a URL. Leave it out."))
        }
        if allowsDeviceGrant, kind != .native, kind != .web {
            found.append(
                .init("allows_device_grant", "Only an application of kind `native` or `web` can have the device grant. Leave it out."))
        }
        found += authenticationMisfits
        if !requiresPKCE, kind != .web {
            found.append(.init("requires_pkce", "Only an application of kind `web` can disable PKCE."))
        }
        return found
    }

    /// The fields of its authentication that its kind or its other fields do not permit.
    private var authenticationMisfits: [Problem.Field] {
        guard kind.isConfidential else {
            return [
                ("token_endpoint_auth_method", authMethod == .onlyID), ("jwks", keys == nil), ("jwks_uri", jwksURI == nil),
            ].filter { !$0.1 }.map { field, _ in
                .init(field, "An application of kind `\(kind.rawValue)` cannot protect a private key. Leave it out.")
            }
        }
        if authMethod == .onlyID {
            return [
                .init(
                    "token_endpoint_auth_method",
                    "An application of kind `\(kind.rawValue)` must authenticate. Use `client_secret_basic` or `private_key_jwt`.")
            ]
        }
        if keys != nil, jwksURI != nil {
            return [.init("jwks_uri", "An application has either `jwks` or `jwks_uri`. Set the other one to null.")]
        }
        if authMethod == .privateKey, keys == nil, jwksURI == nil {
            return [.init("jwks", "`private_key_jwt` needs public keys. Send `jwks` or `jwks_uri`.")]
        }
        return []
    }

    /// The fields that contradict other fields.
    package var contradictions: [Problem.Field] {
        guard idleSeconds > sessionSeconds else { return [] }
        return [.init("idle_seconds", "It must be at most `session_seconds`, which is \(sessionSeconds).")]
    }
}

/// The form of an application's URI for front-channel logout.
package enum FrontchannelLogoutURI {
    /// The reason for refusing a URI, or nil. A page loads it in a frame, so it is an address on the web. The policy of the page must name its
    /// host, which is impossible for an IPv6 address (Content Security Policy Level 3, section 2.3.1).
    package static func refusal(of uri: String) -> String? {
        guard !RedirectURI.isPrivateUse(uri), !RedirectURI.isForDevelopment(uri), !uri.utf8.contains(UInt8(ascii: "["))
        else { return "It must be an https URL without an IPv6 address, for example https://app.example.com/signed-out." }
        return RedirectURI.refusal(of: uri).map { "It \($0)." }
    }
}

/// The form of an application's login URL.
package enum LoginURL {
    /// The reason for refusing a URL, or nil. It is an address on the web, because a browser on any device opens it. Plain http is for
    /// development on one machine.
    package static func refusal(of url: String) -> String? {
        guard !RedirectURI.isPrivateUse(url), !RedirectURI.isForDevelopment(url)
        else { return "It must be an https URL, for example https://app.example.com/login." }
        return RedirectURI.refusal(of: url).map { "It \($0)." }
    }
}

/// The form of a bundle ID at Apple.
package enum BundleID {
    /// The reason for refusing a bundle ID, or nil. A bundle ID has words of letters, digits and hyphens with dots between them, up to 255
    /// characters.
    package static func refusal(of text: String) -> String? {
        let words = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isOne =
            text.utf8.count <= 255 && words.count >= 2
            && words.allSatisfy { word in
                !word.isEmpty
                    && word.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                            true
                        default: false
                        }
                    }
            }
        return isOne ? nil : "It must be a reverse domain name of up to 255 characters, such as com.example.app."
    }
}
