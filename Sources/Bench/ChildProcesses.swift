import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Subprocess
import SystemPackage

/// The programs of a measurement. Each has its own log in one folder.
actor ChildProcesses {
    private let logs: String
    private var running: [ChildProcess] = []
    private var names: [String] = []

    /// - Parameter logs: The folder.
    init(logs: String) {
        self.logs = logs
    }

    private func log(of name: String) -> String { "\(logs)/\(name).log" }

    /// Starts a program that runs until `stop`.
    @discardableResult
    func start(_ name: String, _ command: [String], _ environment: [String: String] = [:]) async throws -> ProcessID {
        let child = try await ChildProcess(command, environment: environment, log: log(of: name))
        running.append(child)
        names.append(name)
        return child.id
    }

    /// Runs a program to its end.
    /// - Returns: Its output.
    func output(
        _ name: String, _ command: [String], _ environment: [String: String] = [:], input: String = ""
    ) async throws -> String {
        let variables = Dictionary(uniqueKeysWithValues: environment.map { (Environment.Key(stringLiteral: $0), Optional($1)) })
        let result = try await Subprocess.run(
            .path(FilePath(command[0])), arguments: Arguments(Array(command.dropFirst())), environment: .inherit.updating(variables),
            input: .inputWriter, output: .string(limit: 1 << 24), error: .string(limit: 1 << 16)
        ) { process in
            // `.string(input)` crashes if the program ends before the write, even of an empty input.
            // If it ends before it has read its input, its status and its output say why.
            if !input.isEmpty { _ = try? await process.standardInputWriter.write(input) }
        }
        guard result.terminationStatus.isSuccess else {
            throw Stage.Failure("\(name) failed: \(result.standardError.trimmingCharacters(in: .whitespacesAndNewlines))")
        }
        return result.standardOutput
    }

    /// Returns when the program that was started last responds to a URL with 200.
    func waitUntilReady(_ url: String) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end {
            let answer = try? await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(1))
            if answer?.status == .ok { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        let name = names.last ?? "nothing"
        let output = (try? String(contentsOfFile: log(of: name), encoding: .utf8)) ?? ""
        throw Stage.Failure("\(name) does not respond at \(url). Its output:\n\(output.suffix(2000))")
    }

    /// Ends them, newest first.
    func stop() async throws {
        while let child = running.popLast() { try await child.stop() }
    }

    func removeLogs() {
        for name in names { try? FileManager.default.removeItem(atPath: log(of: name)) }
    }
}
