import Foundation
import Subprocess

/// The account that runs the server: our own, or, because PostgreSQL refuses root, `postgres` or `nobody`.
package struct ServerAccount {
    private struct Other {
        var user: uid_t
        var group: gid_t
    }

    /// Nil when we are not root.
    private let other: Other?

    package static var current: ServerAccount {
        guard geteuid() == 0 else { return ServerAccount(other: nil) }
        for name in ["postgres", "nobody"] {
            if let entry = getpwnam(name) {
                return ServerAccount(other: Other(user: entry.pointee.pw_uid, group: entry.pointee.pw_gid))
            }
        }
        return ServerAccount(other: Other(user: 65534, group: 65534))
    }

    /// Creates a folder that only this account and root can enter.
    func makeFolder(_ path: String) throws {
        guard mkdir(path, 0o700) == 0, other.map({ chown(path, $0.user, $0.group) == 0 }) ?? true else {
            throw EmbeddedPostgresError.notWritable(folder: path, errno: errno)
        }
    }

    /// Makes a file readable for the account only.
    package func own(_ path: String) throws {
        guard chmod(path, 0o600) == 0, other.map({ chown(path, $0.user, $0.group) == 0 }) ?? true else {
            throw EmbeddedPostgresError.notWritable(folder: path, errno: errno)
        }
    }

    /// The command line that runs a program under the account, with access to `folder`.
    package func command(_ program: String, _ arguments: [String], in folder: String) async throws -> [String] {
        guard let other else { return [program] + arguments }
        guard try await succeeds(["setpriv", "--version"]) else {
            throw EmbeddedPostgresError.missingTool("setpriv", package: "util-linux")
        }
        let identity = ["setpriv", "--reuid", "\(other.user)", "--regid", "\(other.group)", "--clear-groups"]
        if try await succeeds(identity + ["--", "test", "-x", folder]) { return identity + ["--", program] + arguments }
        // A checkout under /root, which nobody else may enter. The server receives the right to pass, and is still not
        // root.
        let capabilities = "+dac_override,+dac_read_search"
        return identity + ["--inh-caps", capabilities, "--ambient-caps", capabilities, "--", program] + arguments
    }

    /// Runs a program to its end.
    /// - Throws: `.commandFailed` with its output.
    func run(_ program: String, _ arguments: [String], in folder: String) async throws {
        let (status, output) = try await Self.execute(command(program, arguments, in: folder))
        guard status else { throw EmbeddedPostgresError.commandFailed(program, output: output) }
    }

    private func succeeds(_ command: [String]) async throws -> Bool {
        try await Self.execute(command).succeeded
    }

    private static func execute(_ command: [String]) async throws -> (succeeded: Bool, output: String) {
        let result = try await Subprocess.run(
            .name("sh"), arguments: Arguments(["-c", "cd / && exec \"$@\"", "sh"] + command), output: .string(limit: 65_536),
            error: .string(limit: 65_536))
        let output = [result.standardError, result.standardOutput].compactMap(\.self).joined(separator: "\n")
        return (result.terminationStatus.isSuccess, output)
    }
}
