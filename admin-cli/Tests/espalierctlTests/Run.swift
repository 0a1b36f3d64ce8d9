import Foundation

/// What one run of the built `espalierctl` did.
struct Run {
    var status: Int32
    var output: String
    var talk: String

    static let exampleKey = "esk_test_0123456789abcdefghijklmnopqrst000000"

    /// Runs the program that was built beside these tests, with nothing of this process's environment.
    init(_ arguments: String..., environment: [String: String] = [:], input: String = "") async throws {
        try await self.init(arguments: arguments, environment: environment, input: input)
    }

    init(arguments: [String], environment: [String: String] = [:], input: String = "") async throws {
        let process = Process()
        let (outputPipe, talkPipe, inputPipe) = (Pipe(), Pipe(), Pipe())
        process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "espalierctl")
        process.arguments = arguments
        process.environment = environment
        process.standardOutput = outputPipe
        process.standardError = talkPipe
        process.standardInput = inputPipe

        // What is written and read fits into the pipes, so that nobody waits for anybody.
        try inputPipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try inputPipe.fileHandleForWriting.close()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        status = process.terminationStatus
        output = String(decoding: try outputPipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        talk = String(decoding: try talkPipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }

    /// The environment of a person who works with `server`.
    static func environment(for server: StubServer) -> [String: String] {
        ["ESPALIER_BASE_URL": server.baseURL, "ESPALIER_API_KEY": exampleKey]
    }
}
