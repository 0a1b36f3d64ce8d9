/// Why a command did not do what it was asked, and what to try next.
struct Failure: Error, Equatable {
    /// The process's exit status.
    enum Status: Int32 {
        case failure = 1
        case usage = 2
        case unauthenticated = 4
    }

    /// What the server's refusal was, for commands that know how to go on.
    struct Refusal: Equatable {
        var status: Int
        var code: String?
    }

    var status: Status
    /// What went wrong, a sentence.
    var detail: String
    /// The fields that were refused, each with its reason.
    var fields: [String] = []
    /// The server's name for the request, by which its operator finds it in the log.
    var requestID: String?
    /// The next thing to try, a sentence.
    var nextStep: String
    var problem: Refusal?

    /// The same with the options in front of the API's names of the fields.
    /// - Parameter flags: the options by the names of the fields.
    func naming(_ flags: [String: String]) -> Failure {
        var failure = self
        failure.fields = fields.map { field in
            let name = String(field.prefix { $0 != ":" && $0 != "[" })
            let place = field.prefix { $0 != ":" }
            return flags[name].map { "\($0) (\(place))\(field.dropFirst(place.count))" } ?? field
        }
        return failure
    }
}
