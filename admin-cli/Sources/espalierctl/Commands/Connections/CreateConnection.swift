import ArgumentParser

/// `espalierctl connections create`: a tenant's own credentials at Apple.
struct CreateConnection: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Creates a connection from Team ID, Services ID and a key, and checks it at Apple.",
        discussion: """
            The key file is the one Apple lets you download once (AuthKey_XXXXXXXXXX.p8); its Key ID is taken from its name. The private key \
            never comes out of Espalier again. The answer says, to the letter, what to type into Apple's portal. The connection serves \
            nobody until it is activated. A tenant needs the plan enterprise.

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

    @Option(help: ArgumentHelp("Apple's Team ID: 10 letters and digits.", valueName: "id"))
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
            return "It is kept, but Apple doesn't accept it yet. Correct it, then: espalierctl connections check\(arguments(connection))"
        }
        return owner.platform ? nil : "When Apple's portal has these addresses: espalierctl connections activate\(arguments(connection))"
    }

    private func arguments(_ connection: JSON) -> String {
        (owner.platform ? "" : " \(connection["id"]?.text ?? "")") + owner.again
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
