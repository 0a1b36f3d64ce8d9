import Foundation

/// What one run of the built `espalierctl` did.
struct Run {
    var status: Int32
    var output: String
    var talk: String

    static let exampleKey = "esk_test_0123456789abcdefghijklmnopqrst000000"
    /// The program that was built beside these tests.
    static let program = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "espalierctl")

    /// Runs the program that was built beside these tests, with nothing of this process's environment.
    init(_ arguments: String..., environment: [String: String] = [:], input: String = "") async throws {
        try await self.init(arguments: arguments, environment: environment, input: input)
    }

    /// - Parameter folder: where it runs; otherwise where the tests do.
    init(arguments: [String], environment: [String: String] = [:], input: String = "", folder: URL? = nil) async throws {
        let process = Process()
        let (outputPipe, talkPipe, inputPipe) = (Pipe(), Pipe(), Pipe())
        process.executableURL = Self.program
        if let folder { process.currentDirectoryURL = folder }
        process.arguments = arguments
        process.environment = environment
        process.standardOutput = outputPipe
        process.standardError = talkPipe
        process.standardInput = inputPipe

        // What is written fits into the pipe, so that nobody waits for anybody. What is read may not, and is read while it runs.
        try inputPipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try inputPipe.fileHandleForWriting.close()
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in end.finish() }
        try process.run()
        async let said = Self.read(outputPipe)
        async let talked = Self.read(talkPipe)
        (output, talk) = await (said, talked)
        for await _ in ended {}
        status = process.terminationStatus
    }

    private static func read(_ pipe: Pipe) async -> String {
        let handle = pipe.fileHandleForReading
        return await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: String(decoding: (try? handle.readToEnd()) ?? Data(), as: UTF8.self)) }.start()
        }
    }

    /// The environment of a person who works with `server`.
    static func environment(for server: StubServer) -> [String: String] {
        ["ESPALIER_BASE_URL": server.baseURL, "ESPALIER_API_KEY": exampleKey]
    }
}
