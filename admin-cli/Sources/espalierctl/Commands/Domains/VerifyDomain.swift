import ArgumentParser

/// `espalierctl domains verify`: looks for the proof of a domain.
struct VerifyDomain: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Looks for the proof of a domain. With it, the host serves the tenant.",
        discussion: """
            The exit code is 0 if the proof was found, and 1 otherwise.

            EXAMPLES
              espalierctl domains verify domain_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
            """)
    static let view: View? = View(
        .init("Outcome", "outcome"), .init("DNS record", "record"), .init("File", "file"), .init("Host", "domain.host"),
        .init("State", "domain.state"))

    @Argument(help: ArgumentHelp("The domain's ID.", valueName: "id"))
    var domain: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/domains/\(domain.text)/verify")
    }

    func note(_ answer: JSON) -> String? {
        guard answer["outcome"]?.string == "found" else { return nil }
        return answer["record"]?.string == "found"
            ? "Now lead the host to Espalier. Then register its values at Apple: espalierctl connections show"
            : "Publish the DNS record before you lead the host to Espalier. The file is gone then, and the domain ends 8 days later."
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
                status: .failure, detail: "The proof was not found.",
                nextStep: "Compare the record with espalierctl domains show. New records take minutes to appear.")
        }
    }
}
