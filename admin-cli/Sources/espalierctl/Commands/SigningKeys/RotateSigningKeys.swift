import ArgumentParser

/// `espalierctl signing-keys rotate`: the next keys sign, or, after a compromise, new ones.
struct RotateSigningKeys: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Lets the next keys sign now; nobody notices.",
        discussion: """
            With --compromised, because somebody else may have the keys, all of them are dropped at once: access tokens and id_tokens \
            that are out are good no longer, forged ones neither. Sessions and refresh tokens last; applications refresh.

            EXAMPLES
              espalierctl signing-keys rotate --tenant acme
              espalierctl signing-keys rotate --tenant acme --algorithm RS256
              espalierctl signing-keys rotate --tenant acme --compromised --confirm=acme
            """)

    @Option(help: "Only the keys of this algorithm.")
    var algorithm: SigningAlgorithm?

    @Flag(help: "Somebody else may have the keys: drops them, with all that they signed.")
    var compromised = false

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: DestroyOptions

    func validate() throws {
        if !compromised, options.confirm != nil { throw ValidationError("--confirm is for --compromised; the rest destroys nothing.") }
    }

    func call(_ session: Session) throws -> Call {
        let call = Call.post(
            "\(try session.path(tenant))/signing-keys/rotate",
            ["algorithm": JSON(algorithm), "compromised": compromised ? .bool(true) : nil])
        guard compromised else { return call }
        return call.destroying(
            "ends every access token and id_token of the tenant \(try session.tenant(tenant.tenant))",
            word: try session.word(tenant.tenant))
    }

    func describe(_ answer: JSON) throws -> String {
        guard let keys = answer["signing_keys"]?.elements else { throw Failure.shape() }
        return try View.signingKey.table(of: keys)
    }

    func note(_ answer: JSON) -> String? {
        compromised ? "Who keeps the JWKS believes the old keys for up to five minutes more." : nil
    }
}
