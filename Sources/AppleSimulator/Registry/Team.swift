import Crypto

/// A developer team at Apple, with the one primary App ID whose group its Services IDs, bundle IDs and keys belong to here.
struct Team: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case individual, organization

        /// Website URLs that one Services ID may list.
        var returnURLLimit: Int {
            switch self {
            case .individual: 10
            case .organization: 100
            }
        }
    }

    /// Apple allows two keys a primary App ID, so that a rotation can overlap.
    static let keyLimit = 2

    /// Ten capital letters and digits.
    let id: String
    var kind: Kind
    /// App IDs, which are client ids for the codes of native apps.
    var bundleIDs: [String]
    /// Where server-to-server notifications of every client of the team go.
    var notificationURL: String?
}

/// A Services ID: the client id of a website.
struct ServicesID: Sendable {
    let id: String
    let team: Team.ID
    /// What Apple's sheet calls the website.
    var displayName: String
    /// Compared character by character with `redirect_uri`.
    var returnURLs: [String]
}

/// A Sign in with Apple key. Apple keeps the public half only.
struct AppleKey: Sendable {
    enum Status: Sendable {
        case active, revoked
    }

    /// Ten capital letters and digits.
    let id: String
    let team: Team.ID
    let publicKey: P256.Signing.PublicKey
    var status: Status
}

extension Team: Identifiable {}

extension ServicesID: Identifiable {}

extension AppleKey: Identifiable {}
