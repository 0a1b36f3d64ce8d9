package import Foundation
import Server
import Subprocess
import Synchronization
import SystemPackage

/// A built program running as a process of its own, as its users run it.
///
/// It sees nothing of the test's environment but `PATH`, `HOME` and the temporary folder, and works in the repository's
/// folder, where the migrations are. It is killed when nobody holds this value any more, so that a test that fails leaves
/// nothing behind.
package final class Program: Sendable {
    /// How a program ended, and all it said.
    package struct Exit: Sendable {
        /// Nil when a signal ended it.
        package let code: Int32?
        package let output: String
        package let errors: String

        /// The lines on standard error that are talk and no JSON log.
        package var complaints: [String] {
            errors.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("{") }
        }
    }

    package struct StillRunning: Error, CustomStringConvertible {
        package let limit: Duration
        package let said: String
        package var description: String { "still running after \(limit); it said:\n\(said)" }
    }

    /// The folder the tests were built into, and `espalier` beside them.
    private static var buildFolder: URL { Bundle.main.executableURL!.resolvingSymlinksInPath().deletingLastPathComponent() }

    package static var espalier: URL { buildFolder.appending(path: "espalier") }
    /// A package of its own, so it is there only when it was built before.
    package static var espalierctl: URL { repository.appending(path: "admin-cli/.build/debug/espalierctl") }
    package static let repository = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

    /// The process's id, and its group's when it has one of its own.
    package let id: Int32
    private let life: Task<Int32?, any Error>
    private let said: Said

    /// Both streams as far as they have come.
    private final class Said: Sendable {
        let output = Mutex<[UInt8]>([])
        let errors = Mutex<[UInt8]>([])
    }

    private init(id: Int32, life: Task<Int32?, any Error>, said: Said) {
        (self.id, self.life, self.said) = (id, life, said)
    }

    deinit {
        // Ends in SIGKILL; nothing happens when the process is gone.
        life.cancel()
    }

    /// - Parameters:
    ///   - input: what it reads from standard input.
    ///   - ownGroup: whether it leads a process group, as under a shell with a terminal; otherwise Ctrl-C in the test's
    ///     terminal reaches it, too.
    package static func start(
        _ arguments: [String], of executable: URL = espalier, environment: [String: String] = [:], input: String = "",
        ownGroup: Bool = false
    ) async throws -> Program {
        var variables: [Environment.Key: String] = [:]
        let inherited = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME", "TMPDIR"].contains($0.key) }
        for (name, value) in inherited.merging(environment, uniquingKeysWith: { $1 }) {
            variables[Environment.Key(stringLiteral: name)] = value
        }
        var options = PlatformOptions()
        if ownGroup { options.processGroupID = 0 }
        let said = Said()
        let (ids, id) = AsyncStream.makeStream(of: Int32.self)
        let life = Task { [variables, options] in
            defer { id.finish() }
            let result = try await Subprocess.run(
                .path(FilePath(executable.path(percentEncoded: false))), arguments: Arguments(arguments), environment: .custom(variables),
                workingDirectory: FilePath(repository.path(percentEncoded: false)), platformOptions: options, input: .string(input),
                output: .sequence, error: .sequence
            ) { process in
                id.yield(process.processIdentifier.value)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for try await buffer in process.standardOutput { said.output.withLock { $0 += buffer.array } }
                    }
                    group.addTask {
                        for try await buffer in process.standardError { said.errors.withLock { $0 += buffer.array } }
                    }
                    try await group.waitForAll()
                }
            }
            if case .exited(let code) = result.terminationStatus { return Optional(code) }
            return nil
        }
        guard let id = await ids.first(where: { _ in true }) else {
            _ = try await life.value
            throw CancellationError()
        }
        return Program(id: id, life: life, said: said)
    }

    /// Runs a program to its end.
    package static func run(
        _ arguments: [String], of executable: URL = espalier, environment: [String: String] = [:], input: String = "",
        within limit: Duration = .seconds(60)
    ) async throws -> Exit {
        try await start(arguments, of: executable, environment: environment, input: input).exit(within: limit)
    }

    /// What it said so far, standard output first.
    package var talk: String {
        String(decoding: said.output.withLock { $0 }, as: UTF8.self) + String(decoding: said.errors.withLock { $0 }, as: UTF8.self)
    }

    /// Waits until it has said this, on either stream.
    /// - Throws: `StillRunning` with what it said instead.
    package func says(_ text: String, within limit: Duration = .seconds(60)) async throws {
        do {
            try await eventually(text, within: limit) { talk.contains(text) }
        } catch is NeverCameAbout {
            throw StillRunning(limit: limit, said: talk)
        }
    }

    package func signal(_ signal: Int32) {
        kill(id, signal)
    }

    /// As Ctrl-C in a terminal: to all of the group it leads.
    package func interruptGroup() {
        kill(-id, SIGINT)
    }

    /// Waits until it has ended.
    /// - Throws: `StillRunning`, and then it is killed.
    package func exit(within limit: Duration = .seconds(60)) async throws -> Exit {
        let code = try await withThrowingTaskGroup(of: Int32?.self) { group in
            group.addTask { try await self.life.value }
            group.addTask {
                try await Task.sleep(for: limit)
                self.life.cancel()
                _ = await self.life.result
                throw StillRunning(limit: limit, said: self.talk)
            }
            defer { group.cancelAll() }
            return try await group.next()!
        }
        return Exit(
            code: code, output: String(decoding: said.output.withLock { $0 }, as: UTF8.self),
            errors: String(decoding: said.errors.withLock { $0 }, as: UTF8.self))
    }
}

extension SubprocessOutputSequence.Buffer {
    fileprivate var array: [UInt8] { withUnsafeBytes(Array.init) }
}
