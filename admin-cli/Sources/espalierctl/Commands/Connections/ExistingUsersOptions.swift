import ArgumentParser

/// The options for existing users when the connection changes. Apple's identifier of a person differs in every team.
struct ExistingUsersOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The treatment of existing users. With new-users, people become new users at their next login. With relink, a login with the verified email address of an existing user continues as that user.",
            valueName: "choice"))
    var existingUsers: ExistingUsers?

    @Option(help: ArgumentHelp("The duration of relink in days, 1 to 90. By default, 30.", valueName: "days"))
    var relinkDays: Int?

    func validate() throws {
        if relinkDays != nil, existingUsers != .relink { throw ValidationError("--relink-days needs --existing-users relink.") }
        if let relinkDays, !(1...90).contains(relinkDays) { throw ValidationError("--relink-days takes 1 to 90.") }
    }

    var members: [String: JSON?] {
        ["existing_users": JSON(existingUsers?.wire), "relink_days": JSON(relinkDays)]
    }

    /// Adds the options as the next step when the server requires a choice.
    func advice(for failure: Failure) -> Failure {
        guard existingUsers == nil, failure.problem?.status == 409 else { return failure }
        var failure = failure
        failure.nextStep = "If the tenant has users, pass --existing-users new-users, or --existing-users relink --relink-days 30."
        return failure
    }
}
