package import Foundation
import Server
import Subprocess
import Synchronization
import SystemPackage

/// A built program that runs as a separate process, as its users run it.
///
/// From the test's environment, it sees only `PATH`, `HOME` and the temporary folder. It works in the repository's
/// folder, which contains the migrations. It is killed when this value is released, so that a failing test leaves no
/// process.
package final class Program: Sendable {
    /// The end of a program, and its output.
    package struct Exit: Sendable {
        /// Nil if a signal ended it.
        package let code: Int32?
        package let output: String
        package let errors: String

        /// The lines on standard error that are messages and not JSON logs.
        package var complaints: [String] {
            errors.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("{") }
        }
    }

    package struct StillRunning: Error, CustomStringConvertible {
        package let limit: Duration
        package let said: String

        package init(limit: Duration, said: String) {
            (self.limit, self.said) = (limit, said)
        }

        package var description: String { "still running after \(limit); it said:\n\(said)" }
    }

    /// The folder of the built tests, which also contains the programs.
    private static var buildFolder: URL { Bundle.main.executableURL!.resolvingSymlinksInPath().deletingLastPathComponent() }

    package static var espalier: URL { buildFolder.appending(path: "espalier") }
    package static var espalierDev: URL { buildFolder.appending(path: "espalier-dev") }
    /// A separate package, so it exists only if it was built before.
    package static var espalierctl: URL { repository.appending(path: "admin-cli/.build/debug/espalierctl") }
    package static let repository = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

    /// The process ID. It is also the ID of the group if it leads one.
    package let id: Int32
    private let life: Task<Int32?, any Error>
    private let said: Said

    /// Both streams so far, and whether the process has ended.
    private final class Said: Sendable {
        let isOver = Atomic(false)
        let output = Mutex<[UInt8]>([])
        let errors = Mutex<[UInt8]>([])
    }

    private init(id: Int32, life: Task<Int32?, any Error>, said: Said) {
        (self.id, self.life, self.said) = (id, life, said)
    }

    deinit {
        // At once and not only by the task, because this process may end before the task runs again.
        if !said.isOver.load(ordering: .relaxed) { kill(id, SIGKILL) }
        life.cancel()
    }

    /// - Parameters:
    ///   - input: The content of standard input.
    ///   - ownGroup: Whether it leads a process group, as under a shell with a terminal. Otherwise, Ctrl-C in the
    ///     test's terminal also reaches it.
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
        let input = try file(of: input)
        let said = Said()
        let (ids, id) = AsyncStream.makeStream(of: Int32.self)
        let life = Task { [variables, options] in
            defer {
                said.isOver.store(true, ordering: .relaxed)
                id.finish()
            }
            let result = try await Subprocess.run(
                .path(FilePath(executable.path(percentEncoded: false))), arguments: Arguments(arguments), environment: .custom(variables),
                workingDirectory: FilePath(repository.path(percentEncoded: false)), platformOptions: options,
                input: .fileDescriptor(input, closeAfterSpawningProcess: true), output: .sequence, error: .sequence
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

    /// A file and not a pipe: if a program ends before it has read a pipe, the end of the pipe ends the test's process too.
    private static func file(of input: String) throws -> FileDescriptor {
        let folder = try TemporaryFolder()
        return try withExtendedLifetime(folder) { try .open(FilePath(folder.write("input", input)), .readOnly) }
    }

    /// Runs a program to its end.
    package static func run(
        _ arguments: [String], of executable: URL = espalier, environment: [String: String] = [:], input: String = "",
        within limit: Duration = .seconds(60)
    ) async throws -> Exit {
        try await start(arguments, of: executable, environment: environment, input: input).exit(within: limit)
    }

    /// The output so far, standard output first.
    package var talk: String {
        String(decoding: said.output.withLock { $0 }, as: UTF8.self) + String(decoding: said.errors.withLock { $0 }, as: UTF8.self)
    }

    /// Waits until the output contains this text, on either stream.
    /// - Throws: `StillRunning` with the output instead.
    package func says(_ text: String, within limit: Duration = .seconds(60)) async throws {
        do {
            try await eventually(text, within: limit) { talk.contains(text) }
        } catch is NeverHappened {
            throw StillRunning(limit: limit, said: talk)
        }
    }

    package func signal(_ signal: Int32) {
        kill(id, signal)
    }

    /// Sends the signal to its whole group, as Ctrl-C in a terminal does.
    package func interruptGroup() {
        kill(-id, SIGINT)
    }

    /// Waits until it has ended.
    /// - Throws: `StillRunning`. Then it is killed.
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
