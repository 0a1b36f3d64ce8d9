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

    /// Returns this failure with the option's name in the place of each field's name in the API.
    /// - Parameter call: has the rejected values of options that can be repeated.
    func naming(_ options: OptionNames, in call: Call) -> Failure {
        var failure = self
        failure.fields = fields.map { field in
            let place = field.prefix { $0 != ":" }
            return options.name(of: place, in: call.body).map { "\($0)\(field.dropFirst(place.count))" } ?? field
        }
        return failure
    }
}
