import ArgumentParser

/// `espalierctl sso check`: checks the provider.
struct CheckSSO: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks the provider with which a tenant's members sign in, and names the invalid field.",
        discussion: """
            The check needs no sign-in and changes nothing. The exit code is 0 if the provider is ready, and 1 otherwise.

            EXAMPLES
              espalierctl sso check --tenant acme
            """)
    static let view: View? = View(
        .init("Ready", "is_ready"),
        sections: [
            .init(
                title: "Failures", path: "failures",
                view: View(.init("Step", "step"), .init("Field", "field").optional, .init("Detail", "detail").wrapped))
        ])

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/sso/check")
    }

    func reportedFailure(_ check: JSON) -> Failure? {
        guard check["failures"]?.elements?.isEmpty == false else { return nil }
        return Failure(
            status: .failure, detail: "The provider cannot sign members in.",
            nextStep: "Correct it at the provider, or with espalierctl sso set. Then run espalierctl sso check again.")
    }
}
