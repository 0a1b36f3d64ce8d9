import ArgumentParser

/// `espalierctl users deletions`: shows the records of deleted users, with Apple's confirmation.
struct UserDeletions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deletions",
        abstract: "Shows the records of deleted users.",
        subcommands: [ListUserDeletions.self, ShowUserDeletion.self])
}

extension View {
    static let userDeletion = View(
        .init("ID", "id"),
        .init("User", "user_id"),
        .init("Requester", "requester"),
        .init("Requested by", "requested_by").detail,
        .init("Status", "status"),
        .init("Requested", "requested_at"),
        .init("Finished", "finished_at").optional,
        .init("Updated", "updated_at").detail,
        sections: [.init(title: "At Apple", path: "apple", view: .appleRevocation)])

    static let appleRevocation = View(
        .init("Team ID", "team_id"),
        .init("Client ID", "client_id"),
        .init("Status", "status"),
        .init("Reason", "reason").optional,
        .init("Attempts", "attempts").number,
        .init("Last tried", "last_tried_at").optional,
        .init("Revoked", "revoked_at").optional)
}
