/// The reason why a command failed, and the next step.
struct Failure: Error, Equatable {
    /// The process's exit status.
    enum Status: Int32 {
        case failure = 1
        case usage = 2
        case unauthenticated = 4
    }

    /// The status and code of the server's rejection, for commands that can recover from it.
    struct Rejection: Equatable {
        var status: Int
        var code: String?
    }

    var status: Status
    /// The problem, as a sentence.
    var detail: String
    /// The rejected fields, each with its reason.
    var fields: [String] = []
    /// The server's ID of the request. The operator finds the request in the log by this ID.
    var requestID: String?
    /// The next step, as a sentence.
    var nextStep: String
    var problem: Rejection?

    /// Returns this failure with the option's name before each field's name in the API.
    /// - Parameter flags: the options, by the names of their fields.
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
