import ArgumentParser

/// `espalierctl signing-keys rotate`: makes the next signing keys current, or creates new keys after a compromise.
struct RotateSigningKeys: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Makes the next signing keys current now. Users stay signed in.",
        discussion: """
            Use --compromised if an attacker may have the keys. Espalier then removes all keys at once. All issued access tokens and \
            id_tokens become invalid, including forged ones. Sessions and refresh tokens stay valid, and applications refresh their tokens.

            EXAMPLES
              espalierctl signing-keys rotate --tenant acme
              espalierctl signing-keys rotate --tenant acme --algorithm RS256
              espalierctl signing-keys rotate --tenant acme --compromised --confirm=acme
            """)

    @Option(help: "Rotates only the keys of this algorithm. By default, all keys.")
    var algorithm: SigningAlgorithm?

    @Flag(help: "Removes the keys and invalidates their tokens, because an attacker may have the keys.")
    var compromised = false

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: DestroyOptions

    func validate() throws {
        if !compromised, options.confirm != nil { throw ValidationError("--confirm is only for --compromised.") }
    }

    func call(_ session: Session) throws -> Call {
        let call = Call.post(
            "\(try session.path(tenant))/signing-keys/rotate",
            ["algorithm": JSON(algorithm), "compromised": compromised ? .bool(true) : nil])
        guard compromised else { return call }
        return call.destroying(
            "invalidates all access tokens and id_tokens of the tenant \(try session.tenant(tenant.tenant))",
            word: try session.word(tenant.tenant))
    }

    func describe(_ answer: JSON) throws -> String {
        guard let keys = answer["signing_keys"]?.elements else { throw Failure.shape() }
        return try View.signingKey.table(of: keys)
    }

    func note(_ answer: JSON) -> String? {
        compromised ? "Applications that cache the JWKS accept the old keys for up to 5 more minutes." : nil
    }
}
