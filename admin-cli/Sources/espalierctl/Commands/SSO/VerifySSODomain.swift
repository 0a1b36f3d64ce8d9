import ArgumentParser

/// `espalierctl sso domains verify`: looks for the proof of a domain of addresses.
struct VerifySSODomain: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Looks for the DNS record of a domain. With it, the addresses of the domain lead to the provider.",
        discussion: """
            The exit code is 0 if the record was found, and 1 otherwise.

            EXAMPLES
              espalierctl sso domains verify ssodomain_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme
            """)
    static let view: View? = View(.init("Outcome", "outcome"), .init("Domain", "domain.domain"), .init("State", "domain.state"))

    @Argument(help: ArgumentHelp("The domain's ID.", valueName: "id"))
    var domain: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/sso/domains/\(domain.text)/verify")
    }

    func reportedFailure(_ answer: JSON) -> Failure? {
        switch answer["outcome"]?.string {
        case "found": nil
        case "unknown":
            Failure(
                status: .failure, detail: "Espalier's resolver did not answer, so the proof is unknown.",
                nextStep: "Leave the record as it is, and run the command again in a few minutes.")
        default:
            Failure(
                status: .failure, detail: "The record was not found.",
                nextStep: "Compare it with espalierctl sso domains list --json. New records take minutes to appear.")
        }
    }
}
