import ArgumentParser

/// What becomes of users when the connection under them changes: every Apple team calls the same person by another name.
struct ExistingUsersOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "For a tenant that has users: new-users makes everyone a new user at the next login; relink lets a verified e-mail take the old user over for a while.",
            valueName: "choice"))
    var existingUsers: ExistingUsers?

    @Option(help: ArgumentHelp("How long relinking goes on, 1 to 90.", valueName: "days"))
    var relinkDays: Int?

    func validate() throws {
        if relinkDays != nil, existingUsers != .relink { throw ValidationError("--relink-days needs --existing-users relink.") }
        if let relinkDays, !(1...90).contains(relinkDays) { throw ValidationError("--relink-days takes 1 to 90.") }
    }

    var members: [String: JSON?] {
        ["existing_users": JSON(existingUsers?.wire), "relink_days": JSON(relinkDays)]
    }

    /// Says how to choose, where the server refused because nobody had.
    func advice(for failure: Failure) -> Failure {
        guard existingUsers == nil, failure.problem?.status == 409 else { return failure }
        var failure = failure
        failure.nextStep = "If it is for its users: pass --existing-users new-users, or --existing-users relink --relink-days 30."
        return failure
    }
}
