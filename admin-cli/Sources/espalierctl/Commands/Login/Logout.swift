import ArgumentParser
import Foundation

/// `espalierctl logout`: ends a person's login.
struct Logout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ends your login and removes it from this machine.",
        discussion: """
            EXAMPLES
              espalierctl logout
            """)

    @OptionGroup var server: ServerOptions

    func run() async throws {
        let address = try server.settings().baseURL()
        let logins = Logins(environment: ProcessInfo.processInfo.environment)
        guard let token = try logins.token(for: address) else {
            return Terminal.standardError.report("You are not logged in at \(Logins.name(of: address).printable).")
        }
        // The login is removed here even if the server does not respond, and ends at the server even if it stays here.
        var kept: Failure?
        do throws(Failure) { try logins.remove(for: address) } catch { kept = error }
        do throws(Failure) {
            let issuer = try await LoginServer.find(at: address, timeout: Double(server.timeout))
            let answer = try await issuer.post(issuer.revocationEndpoint, ["token": token.text, "client_id": LoginServer.clientID])
            guard answer.status == 200 else { throw answer.failure }
        } catch {
            var failure = error
            let place = kept.map { "\($0.detail) It" } ?? "The login is removed from this machine, but it"
            failure.detail = "\(place) is still valid: \(error.detail)"
            failure.nextStep = "End it on the page of your account: espalierctl open account"
            throw failure
        }
        if var kept {
            kept.detail += " It is no longer valid."
            throw kept
        }
        Terminal.standardError.report("You are logged out at \(Logins.name(of: address).printable).")
    }
}
