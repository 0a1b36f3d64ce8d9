import Foundation

/// A sign-in of the person at the terminal: in the browser of this machine, or with a code on any device.
struct SignIn {
    let server: LoginServer
    /// Nil if the person signs in with a code.
    let browser: Browser?
    /// The longest age of the sign-in in the browser, in seconds. By default, the server decides.
    var longestAge: Int?

    /// The longest wait for the person, in seconds.
    private static let patience = 600.0

    /// Waits until the person has signed in.
    func token() async throws(Failure) -> LoginToken {
        guard let browser else { return try await tokenForCode() }
        return try await token(in: browser)
    }

    // MARK: Browser

    private func token(in browser: Browser) async throws(Failure) -> LoginToken {
        let (listener, pkce, state) = (try LoopbackListener(), PKCE(), PKCE.random())
        let redirect = "http://127.0.0.1:\(listener.port)/callback"
        let address = authorizationAddress(redirect: redirect, state: state, pkce)
        guard browser.open(address) else { return try await tokenForCode() }
        Terminal.standardError.report("Sign in with the browser. If no page opens, open this address on this machine:\n\(address)")
        let outcome = await wait(for: listener, state: state)
        switch outcome {
        case .code(let code):
            let answer = try await server.post(
                server.tokenEndpoint,
                [
                    "grant_type": "authorization_code", "code": code, "redirect_uri": redirect, "client_id": LoginServer.clientID,
                    "code_verifier": pkce.verifier,
                ])
            guard let token = answer.token else { throw answer.failure }
            return token
        case .refused(let reason):
            throw Failure(status: .failure, detail: reason, nextStep: "Run the command again.")
        case .ignored, nil:
            throw Failure(
                status: .failure, detail: "Nobody signed in within 10 minutes.",
                nextStep: "Run the command again, or log in with a code: espalierctl login --no-browser")
        }
    }

    func authorizationAddress(redirect: String, state: String, _ pkce: PKCE) -> String {
        let fields = LoginServer.form([
            "response_type": "code", "client_id": LoginServer.clientID, "redirect_uri": redirect, "state": state,
            "code_challenge": pkce.challenge, "code_challenge_method": "S256", "host_name": HostName.own,
            "max_age": longestAge.map(String.init),
        ])
        let separator = server.authorizationEndpoint.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return server.authorizationEndpoint + separator + fields
    }

    /// Waits on a thread of its own, because the wait blocks.
    private func wait(for listener: sending LoopbackListener, state: String) async -> CallbackOutcome? {
        let progress = Progress("Waiting for the browser")
        defer { progress.end() }
        nonisolated(unsafe) let listener = listener
        let issuer = server.issuer
        return await withCheckedContinuation { continuation in
            Thread {
                continuation.resume(returning: listener.outcome(state: state, issuer: issuer, seconds: Self.patience))
            }.start()
        }
    }

    // MARK: Code

    /// The device grant (RFC 8628).
    private func tokenForCode() async throws(Failure) -> LoginToken {
        let started = try await server.post(
            server.deviceAuthorizationEndpoint,
            ["client_id": LoginServer.clientID, "host_name": HostName.own, "max_age": longestAge.map(String.init)])
        guard started.status == 200, let code = started.json["device_code"]?.string, let shown = started.json["user_code"]?.string,
            let address = started.json["verification_uri"]?.string
        else { throw started.failure }
        // The person types a password at this address, so it must belong to the server.
        guard address.utf8.starts(with: "\(server.issuer)/".utf8) else { throw .shape() }
        Terminal.standardError.report(
            "Open this address on any device, and enter the code:\n\n  \(address.printable)\n  \(shown.printable)\n")
        let progress = Progress("Waiting for the sign-in")
        defer { progress.end() }
        return try await poll(code, started.json)
    }

    private func poll(_ code: String, _ started: JSON) async throws(Failure) -> LoginToken {
        // A server may shorten the times, but not extend them without limit.
        var interval = min(60, max(1, started["interval"]?.integer ?? 5))
        let end = ContinuousClock.now + .seconds(min(1800, max(1, started["expires_in"]?.integer ?? 600)))
        while .now < end {
            try? await Task.sleep(for: .seconds(interval))
            let answer: LoginServer.Answer
            do throws(Failure) {
                answer = try await server.post(
                    server.tokenEndpoint,
                    [
                        "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": code,
                        "client_id": LoginServer.clientID,
                    ])
            } catch {
                // The server may be restarting (RFC 8628, section 3.5).
                guard error.problem.map({ $0.status >= 500 || $0.status == 429 }) ?? true else { throw error }
                interval = min(60, interval * 2)
                continue
            }
            if let token = answer.token { return token }
            switch answer.json["error"]?.string {
            case "authorization_pending": break
            case "slow_down": interval = min(60, interval + 5)
            case "access_denied":
                throw Failure(status: .failure, detail: "The login was refused.", nextStep: "Run the command again.")
            case "expired_token":
                throw Failure(status: .failure, detail: "The code has expired.", nextStep: "Run the command again for a new code.")
            default: throw answer.failure
            }
        }
        throw Failure(status: .failure, detail: "The code has expired.", nextStep: "Run the command again for a new code.")
    }
}

/// The name of this machine, which the page of the login shows.
enum HostName {
    static var own: String? {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return nil }
        return shown(String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    /// The letters, digits, hyphens and periods of a name, at most 60. Nil if there are none.
    static func shown(_ name: String) -> String? {
        let characters = name.utf8.filter { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        return characters.isEmpty ? nil : String(decoding: characters.prefix(60), as: UTF8.self)
    }
}
