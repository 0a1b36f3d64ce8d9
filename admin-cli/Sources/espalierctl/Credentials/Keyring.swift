import Foundation

/// The system's keyring, through the program `secret-tool` of libsecret.
struct Keyring {
    let program: String
    let environment: [String: String]
    /// A locked keyring asks the person to unlock it.
    private static let seconds = 60.0

    /// Nil if this machine has no `secret-tool`.
    init?(_ environment: [String: String]) {
        guard let program = ExternalProgram.find("secret-tool", environment) else { return nil }
        (self.program, self.environment) = (program, environment)
    }

    func token(for server: String) -> LoginToken? {
        guard let ended = run("lookup", server), ended.status == 0 else { return nil }
        return LoginToken(ended.output.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// Stores a token. The token is passed on the standard input, because every user of the machine can read arguments.
    /// - Returns: whether the keyring has the token now. It fails on a machine without a desktop session.
    func store(_ token: LoginToken, for server: String) -> Bool {
        run("store", server, ["--label=espalierctl (\(server))"], input: token.text)?.status == 0 && self.token(for: server) == token
    }

    /// Removes the token of a server.
    /// - Returns: whether the keyring has no token now.
    func clear(_ server: String) -> Bool {
        // The exit status for a token that is not there differs between versions of libsecret.
        guard token(for: server) != nil else { return true }
        return run("clear", server)?.status == 0 && token(for: server) == nil
    }

    private func run(_ command: String, _ server: String, _ options: [String] = [], input: String = "") -> ExternalProgram.Ended? {
        ExternalProgram.run(
            program, [command] + options + ["service", "espalierctl", "server", server], input: input, seconds: Self.seconds, environment)
    }
}
