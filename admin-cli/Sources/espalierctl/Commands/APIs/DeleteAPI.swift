import ArgumentParser

/// `espalierctl apis delete`: deletes an API.
struct DeleteAPI: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes an API. Existing access tokens stay valid until they expire.",
        discussion: """
            EXAMPLES
              espalierctl apis delete api_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
              espalierctl apis delete api_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --confirm=acme --no-input
            """)

    @Argument(help: ArgumentHelp("The API's ID.", valueName: "id"))
    var api: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("\(try session.path(tenant))/apis/\(api.text)").ifUnchanged(nil, match.ifMatch).destroying(
            "deletes the API \(api.text)", word: try session.word(tenant.tenant))
    }

    func note(_ answer: JSON) -> String? {
        "Deleted \(api.text)."
    }
}
