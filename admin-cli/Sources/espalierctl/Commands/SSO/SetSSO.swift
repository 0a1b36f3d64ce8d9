import ArgumentParser
import Foundation

/// `espalierctl sso set`: sets or replaces the provider.
struct SetSSO: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Sets or replaces the provider with which a tenant's members sign in.",
        discussion: """
            A new issuer or client needs the secret. Otherwise the stored secret remains. Another issuer ends the links between accounts \
            and the provider, and the next sign-ins create them again.

            With --required, members with an address in a proved domain sign in only with the provider, except owners with a passkey. \
            This needs one earlier sign-in with it. Without --required, the requirement ends.

            EXAMPLES
              espalierctl sso set --tenant acme --issuer https://login.customer.com \\
                --client-id espalier --secret-from provider.secret
              espalierctl sso set --tenant acme --issuer https://login.customer.com \\
                --client-id espalier --required
            """)
    static let view: View? = .sso

    @Option(help: ArgumentHelp("The issuer of the provider, exactly as in its discovery document.", valueName: "url"))
    var issuer: String

    @Option(name: .customLong("client-id"), help: ArgumentHelp("The ID of the client at the provider.", valueName: "id"))
    var clientID: String

    @Option(
        help: ArgumentHelp("The file that contains the client's secret, or - for the standard input.", valueName: "file"),
        completion: .file())
    var secretFrom: String?

    @Flag(help: "Requires the provider for members with an address in a proved domain.")
    var required = false

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    static var flags: [String: String] { ["client_secret": "--secret-from", "is_required": "--required"] }

    func call(_ session: Session) throws -> Call {
        let secret = try secretFrom.map { file throws(Failure) in
            try SecretFile.read(file, of: "secret file").trimmingCharacters(in: .whitespacesAndNewlines)
        }
        return Call.put(
            "\(try session.path(tenant))/sso",
            [
                "issuer": JSON(issuer), "client_id": JSON(clientID), "client_secret": JSON(secret),
                "is_required": required ? JSON(true) : nil,
            ], secret: ["client_secret"]
        ).ifUnchanged(nil, match.ifMatch)
    }

    func note(_ sso: JSON) -> String? {
        sso["signed_in_at"] == nil ? "Nobody has signed in with it yet. To check it: espalierctl sso check" : nil
    }
}
