import Access
import ArgumentParser
import Foundation
import Mail
import People
import Postgres
import Web

/// Makes the first operator of an installation, and another one if nobody can sign in.
struct CreateOperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Prints a link with which one person becomes an operator.",
        discussion: """
            The link is valid for 24 hours and works once. Send it only to the person, because its holder becomes an operator. Uses \
            the settings of `espalier serve`.
            """)

    @Option(help: ArgumentHelp("The person's email address. It is also the name for the sign-in.", valueName: "address"))
    var email: String

    func validate() throws {
        guard MailAddress(email) != nil
        else { throw ValidationError("--email must be an email address without quotation marks, such as ada@example.com.") }
    }

    func run() async throws {
        try await orRefuse {
            guard let address = MailAddress(email) else { return }
            let settings = try Settings(try await Settings.reader())
            let issued = try await withPool(settings.databaseURL) { pool in
                let (database, now) = (PlatformDatabase(pool, for: .command), Date())
                let keyring = try await InstalledKeys.open(settings.keyring, in: database, at: now)
                do {
                    return try await Invitation.issueToOperator(
                        address, publicURL: settings.publicURL, keyring: keyring, in: database.restricted(to: UUID.platform), at: now)
                } catch let problem as Problem {
                    throw Settings.Refusal(description: problem.detail)
                }
            }
            print(issued.link)
        }
    }
}
