import Crypto

/// A developer team at Apple. It has one primary App ID. All of its Services IDs, bundle IDs and keys belong to that App
/// ID's group.
struct Team: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case individual, organization

        /// The maximum number of website URLs per Services ID.
        var returnURLLimit: Int {
            switch self {
            case .individual: 10
            case .organization: 100
            }
        }
    }

    /// Apple allows two keys per primary App ID, so that a rotation can overlap.
    static let keyLimit = 2

    /// Ten capital letters and digits.
    let id: String
    var kind: Kind
    /// App IDs. They are the client IDs for the codes of native apps.
    var bundleIDs: [String]
    /// The receiver of the server-to-server notifications for every client of the team.
    var notificationURL: String?
}

/// A Services ID: the client ID of a website.
struct ServicesID: Sendable {
    let id: String
    let team: Team.ID
    /// The name of the website on Apple's sheet.
    var displayName: String
    /// Each must exactly equal `redirect_uri`.
    var returnURLs: [String]
}

/// A Sign in with Apple key. Apple stores only the public half.
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
