/// Why a command did not do what it was asked, and what to try next.
struct Failure: Error, Equatable {
    /// The process's exit status.
    enum Status: Int32 {
        case failure = 1
        case usage = 2
        case unauthenticated = 4
    }

    var status: Status
    /// What went wrong, a sentence.
    var detail: String
    /// The server's name for the request, by which its operator finds it in the log.
    var requestID: String?
    /// The next thing to try, a sentence.
    var nextStep: String
}
