/// A fault on demand: at one endpoint, for one client or for all, a number of times or until it is cleared.
struct Fault: Sendable, Identifiable {
    enum Endpoint: String, CaseIterable, Sendable {
        case authorize, token, keys, revoke
        case userMigration = "usermigrationinfo"
    }

    enum Effect: Sendable {
        /// The response is delayed.
        case slow(milliseconds: Int)
        /// A status with an HTML page, as from a proxy in front of Apple, and optionally the seconds in `Retry-After`.
        case status(Int, retryAfter: Int?)
        /// The connection is closed without a response.
        case drop
        /// The JSON is cut off.
        case malformedJSON
        /// A new signing key is in use before the response.
        case rotateKeys
        /// One claim of the id_token is replaced, or removed if the value is nil.
        case claim(String, JSONValue?)
        /// The id_token's signature is invalid.
        case badSignature
        /// The id_token's header contains `none` (no signature) or `HS256` (keyed with Apple's public key, a known
        /// attack).
        case algorithm(ForgedAlgorithm)
        /// The id_token's `kid` is not the ID of a published key.
        case unknownKeyID
        /// The token response has no refresh token.
        case noRefreshToken
        /// The `user` field of the form_post, with any content, in every authorization.
        case user(String)
        /// Apple's clock is this many seconds ahead, or behind if negative: in the `Date` of the response and in the check of a
        /// client secret.
        case clock(seconds: Int)
        /// An OAuth error: 400 at token, revoke and usermigrationinfo, sent to the redirect URI at authorize.
        case error(String)
    }

    enum ForgedAlgorithm: String, CaseIterable, Sendable {
        case none
        case hs256 = "HS256"
    }

    let id: Int
    let endpoint: Endpoint
    let clientID: String?
    let effect: Effect
    /// The number of requests that it will still affect; nil until cleared.
    var remaining: Int?
    /// The number of requests that it has affected.
    var met = 0
}

/// The faults in force.
struct FaultPlan: Sendable {
    private(set) var faults: [Fault] = []
    private var lastID = 0

    mutating func add(_ effect: Fault.Effect, at endpoint: Fault.Endpoint, clientID: String?, times: Int?) -> Fault {
        lastID += 1
        let fault = Fault(id: lastID, endpoint: endpoint, clientID: clientID, effect: effect, remaining: times)
        faults.append(fault)
        return fault
    }

    /// Returns the effects on one request, and counts them down.
    mutating func meet(_ endpoint: Fault.Endpoint, clientID: String?) -> [Fault.Effect] {
        guard !faults.isEmpty else { return [] }
        var effects: [Fault.Effect] = []
        for index in faults.indices
        where faults[index].endpoint == endpoint && (faults[index].clientID == nil || faults[index].clientID == clientID) {
            effects.append(faults[index].effect)
            faults[index].met += 1
            faults[index].remaining? -= 1
        }
        faults.removeAll { $0.remaining == 0 }
        return effects
    }

    /// Returns whether a fault with this ID existed.
    mutating func clear(_ id: Fault.ID) -> Bool {
        let count = faults.count
        faults.removeAll { $0.id == id }
        return faults.count < count
    }

    mutating func clear(clientID: String?) {
        faults.removeAll { clientID == nil || $0.clientID == clientID }
    }
}
