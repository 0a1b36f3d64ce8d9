import ArgumentParser

/// `espalierctl connections create`: creates a connection with a tenant's own Apple credentials, or the shared connection.
struct CreateConnection: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Creates a connection from a Team ID, a Services ID and a key, and checks it at Apple.",
        discussion: """
            Pass the key file that Apple lets you download once (AuthKey_XXXXXXXXXX.p8). Its name contains the Key ID. The private key \
            never leaves Espalier. The output contains the exact values for Apple's portal. The connection serves no logins until you \
            activate it. The tenant needs the plan enterprise.

            EXAMPLES
              espalierctl connections create --tenant acme --team-id A1B2C3D4E5 \\
                --services-id com.example.acme.login \\
                --key-file AuthKey_F6G7H8I9J0.p8
              espalierctl connections create --tenant acme --team-id A1B2C3D4E5 \\
                --services-id com.example.acme.login \\
                --key-id F6G7H8I9J0 --key-file - < key.p8
              espalierctl connections create --platform --team-id A1B2C3D4E5 \\
                --services-id com.example.login --key-file AuthKey_F6G7H8I9J0.p8
            """)
    static let view: View? = .connection

    @Option(help: ArgumentHelp("Apple's Team ID: 10 capital letters and digits.", valueName: "id"))
    var teamID: String

    @Option(help: ArgumentHelp("The Services ID, such as com.example.login.", valueName: "id"))
    var servicesID: String

    @OptionGroup var key: AppleKeyOptions
    @OptionGroup var properties: ConnectionProperties
    @OptionGroup var owner: OwnerOption
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        try key.requireInput(besides: options.server)
    }

    func call(_ session: Session) throws -> Call {
        .createConnection(
            in: owner.platform ? "platform/connection" : "\(try session.path(owner))/connections",
            teamID: teamID, servicesID: servicesID, key: try key.read(), properties: properties)
    }

    func note(_ connection: JSON) -> String? {
        guard connection["check.outcome"]?.string == "passed" else {
            return
                "The connection is saved, but Apple does not accept it yet. Correct it, then run: espalierctl connections check\(arguments(connection))"
        }
        return owner.platform
            ? nil : "Enter these values in Apple's portal, then run: espalierctl connections activate\(arguments(connection))"
    }

    private func arguments(_ connection: JSON) -> String {
        (owner.platform ? "" : " \(connection["id"]?.text ?? "")") + owner.repeated
    }
}

extension Call {
    static func createConnection(
        in path: String, teamID: String, servicesID: String, key: AppleKeyFile, properties: ConnectionProperties
    ) -> Call {
        var members = properties.members
        members["team_id"] = JSON(teamID)
        members["services_id"] = JSON(servicesID)
        members["key_id"] = JSON(key.keyID)
        members["private_key"] = JSON(key.privateKey)
        return .post(path, members, secret: ["private_key"])
    }
}
