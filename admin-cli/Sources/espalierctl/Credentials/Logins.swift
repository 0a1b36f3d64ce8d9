import Foundation

/// The logins of the person at this machine, by the address of the server: in the system's keyring, or else in a file.
struct Logins {
    enum Place {
        case keyring, file
    }

    let environment: [String: String]

    /// The name of a server in the keyring and in the file.
    static func name(of server: URL) -> String {
        var name = server.absoluteString
        while name.utf8.last == UInt8(ascii: "/") { name.unicodeScalars.removeLast() }
        return name
    }

    /// The login at a server. Nil if there is none.
    func token(for server: URL) throws(Failure) -> LoginToken? {
        let name = Self.name(of: server)
        if let text = try CredentialFile.load(environment).logins[name] {
            guard let token = LoginToken(text) else {
                throw Failure(
                    status: .unauthenticated, detail: "The stored login is invalid.", nextStep: "Log in again: espalierctl login")
            }
            return token
        }
        return Keyring(environment)?.token(for: name)
    }

    /// Stores the login at a server, and replaces an earlier one.
    func save(_ token: LoginToken, for server: URL) throws(Failure) -> Place {
        let name = Self.name(of: server)
        var file = try CredentialFile.load(environment)
        if Keyring(environment)?.store(token, for: name) == true {
            if file.logins.removeValue(forKey: name) != nil { try file.save(environment) }
            return .keyring
        }
        file.logins[name] = token.text
        try file.save(environment)
        return .file
    }

    /// Removes the login at a server from all places.
    /// - Throws: ``Failure`` if a place keeps it.
    func remove(for server: URL) throws(Failure) {
        let name = Self.name(of: server)
        let isCleared = Keyring(environment)?.clear(name) ?? true
        var file = try CredentialFile.load(environment)
        if file.logins.removeValue(forKey: name) != nil { try file.save(environment) }
        guard isCleared else {
            throw Failure(
                status: .failure, detail: "The login is still in the keyring of this machine.",
                nextStep: "Unlock the keyring and remove it: secret-tool clear service espalierctl server \(name.printable)")
        }
    }
}
