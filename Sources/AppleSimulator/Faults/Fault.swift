/// Something that goes wrong on demand, at one endpoint, for one client or for all, a number of times or until it is cleared.
struct Fault: Sendable, Identifiable {
    enum Endpoint: String, CaseIterable, Sendable {
        case authorize, token, keys, revoke
        case userMigration = "usermigrationinfo"
    }

    enum Effect: Sendable {
        /// The answer waits.
        case slow(milliseconds: Int)
        /// A status with a page of HTML, as a proxy in front of Apple would answer; and after how many seconds to come again.
        case status(Int, retryAfter: Int?)
        /// The connection is closed without an answer.
        case drop
        /// The JSON breaks off.
        case malformedJSON
        /// A new signing key is in use before the answer.
        case rotateKeys
        /// One claim of the id_token replaced, or removed when the value is nil.
        case claim(String, JSONValue?)
        /// The id_token's signature is wrong.
        case badSignature
        /// The id_token's header says `none` (no signature) or `HS256` (keyed with Apple's public key, a known attack).
        case algorithm(ForgedAlgorithm)
        /// The id_token's `kid` is no published key's.
        case unknownKeyID
        /// The token answer lacks a refresh token.
        case noRefreshToken
        /// The `user` field of the form_post, whatever it is, first time or not.
        case user(String)
        /// Apple's clock is this many seconds ahead, or behind: in the answer's `Date` and in what it thinks of a client secret.
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
    /// How many requests it still meets; nil until cleared.
    var remaining: Int?
    /// How many requests it has met.
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

    /// The effects that one request meets, counted down.
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

    /// Whether there was one with this id.
    mutating func clear(_ id: Fault.ID) -> Bool {
        let count = faults.count
        faults.removeAll { $0.id == id }
        return faults.count < count
    }

    mutating func clear(clientID: String?) {
        faults.removeAll { clientID == nil || $0.clientID == clientID }
    }
}
