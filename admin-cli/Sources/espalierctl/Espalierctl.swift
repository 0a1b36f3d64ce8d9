import ArgumentParser
import Foundation

/// The command line client of an Espalier installation.
@main
struct Espalierctl: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "espalierctl",
        abstract: "Manages the tenants of an Espalier installation.",
        discussion: """
            People log in. Programs set the address, the API key and the tenant in the environment or in a profile (espalierctl config \
            --help):

              export ESPALIER_BASE_URL=https://id.example.com
              export ESPALIER_API_KEY=esk_live_…
              export ESPALIER_TENANT=acme

            Data goes to the standard output. Messages go to the standard error. \
            Exit codes: 0 success, 1 failure, 2 invalid command line, 4 not authenticated.

            EXAMPLES
              espalierctl login --base-url https://id.example.com
              espalierctl tenants onboard
              espalierctl connections check --tenant acme
              espalierctl usage show --tenant acme --from 2026-11-01 --to 2026-12-01
              espalierctl users list --tenant acme --jq '.data[].id'
            """,
        version: "espalierctl \(version)",
        subcommands: [
            Login.self, Logout.self, WhoAmI.self, OpenPage.self,
            Tenants.self, Branding.self, Applications.self, APIs.self, InitialAccessTokens.self, Connections.self, AppleKeys.self,
            Domains.self,
            Users.self, Members.self, Invitations.self, Roles.self, SSO.self, Operators.self, People.self, Support.self,
            Sessions.self, SigningKeys.self,
            APIKeys.self, Usage.self, Budget.self, Statements.self, Pricing.self, RateCards.self, Audit.self, Webhooks.self, Logs.self,
            Notifications.self, Mail.self,
            Config.self, PrintCompletion.self,
        ])

    /// Parses the command line, runs the command and ends the process.
    ///
    /// ArgumentParser's own `main` exits with 64 for an invalid command line and has a second format for errors. This one exits with 2 and
    /// reports every failure in one format.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let failure as Failure {
            Terminal.standardError.report(failure)
            Foundation.exit(failure.status.rawValue)
        } catch  where exitCode(for: error) == .success {
            // ArgumentParser ignores an unknown command before --help, and shows the help of the last known command.
            if let failure = CommandPath(Array(CommandLine.arguments.dropFirst())).failure {
                Terminal.standardError.report(failure)
                Foundation.exit(failure.status.rawValue)
            }
            // ArgumentParser throws the output of --help and --version as an error.
            print(fullMessage(for: error))
        } catch {
            let failure = CallError.failure(for: error, arguments: Array(CommandLine.arguments.dropFirst()))
            Terminal.standardError.report(failure)
            Foundation.exit(failure.status.rawValue)
        }
    }
}
