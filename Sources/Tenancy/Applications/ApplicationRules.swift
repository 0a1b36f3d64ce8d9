package import Web

// What of an application goes together. Each by itself is looked at where it is read: `ApplicationFields`, `RedirectURI`.
extension Application {
    /// What does not go with its kind, field by field.
    package var misfits: [Problem.Field] {
        var found: [Problem.Field] = []
        if kind == .machine {
            for (field, uris) in [("redirect_uris", redirectURIs), ("logout_uris", logoutURIs)] where !uris.isEmpty {
                found.append(.init(field, "An application of kind `machine` signs nobody in: it has none."))
            }
            if backchannelLogoutURI != nil {
                found.append(.init("backchannel_logout_uri", "An application of kind `machine` signs nobody in: nobody logs out."))
            }
        } else if redirectURIs.isEmpty {
            found.append(.init("redirect_uris", "It must have at least one element: where browsers return to."))
        }
        if kind != .native {
            for (field, uris) in [("redirect_uris", redirectURIs), ("logout_uris", logoutURIs)] {
                for (index, uri) in uris.enumerated() where RedirectURI.isPrivateUse(uri) {
                    found.append(
                        .init("\(field)[\(index)]", "Only an application of kind `native` may have a scheme of its own: use https."))
                }
            }
            if !bundleIDs.isEmpty { found.append(.init("bundle_ids", "Only an application of kind `native` has any.")) }
        }
        if !requiresPKCE, kind != .web {
            found.append(.init("requires_pkce", "Only an application of kind `web` can be exempted."))
        }
        return found
    }

    /// What contradicts something else, field by field.
    package var contradictions: [Problem.Field] {
        guard idleSeconds > sessionSeconds else { return [] }
        return [.init("idle_seconds", "It must not be more than `session_seconds`, which is \(sessionSeconds).")]
    }
}

/// What a bundle ID of Apple's looks like.
package enum BundleID {
    /// Why a text is none, or nil: words of letters, digits and hyphens with dots between them, up to 255 characters.
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
        return isOne ? nil : "It must be a reverse domain name, as com.example.app, of up to 255 characters."
    }
}
