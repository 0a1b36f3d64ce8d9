import Foundation

/// The result of one run of the built `espalierctl`.
struct Run {
    var status: Int32
    var output: String
    var messages: String

    static let exampleKey = "esk_test_0123456789abcdefghijklmnopqrst000000"
    /// The program that was built with these tests.
    static let program = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "espalierctl")

    /// Runs the program that was built with these tests, without the environment of this process.
    init(_ arguments: String..., environment: [String: String] = [:], input: String = "") async throws {
        try await self.init(arguments: arguments, environment: environment, input: input)
    }

    /// Runs the program with arguments.
    /// - Parameter folder: the working directory. By default, that of the tests.
    init(arguments: [String], environment: [String: String] = [:], input: String = "", folder: URL? = nil) async throws {
        let process = Process()
        let (outputPipe, messagePipe, inputPipe) = (Pipe(), Pipe(), Pipe())
        process.executableURL = Self.program
        if let folder { process.currentDirectoryURL = folder }
        process.arguments = arguments
        process.environment = environment
        process.standardOutput = outputPipe
        process.standardError = messagePipe
        process.standardInput = inputPipe

        // The input fits into the pipe, so writing it first does not block. The output may be larger, so it is read while the program runs.
        try inputPipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try inputPipe.fileHandleForWriting.close()
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in end.finish() }
        try process.run()
        async let written = Self.read(outputPipe)
        async let reported = Self.read(messagePipe)
        (output, messages) = await (written, reported)
        for await _ in ended {}
        status = process.terminationStatus
    }

    private static func read(_ pipe: Pipe) async -> String {
        let handle = pipe.fileHandleForReading
        return await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: String(decoding: (try? handle.readToEnd()) ?? Data(), as: UTF8.self)) }.start()
        }
    }

    /// The environment for a server.
    static func environment(for server: StubServer) -> [String: String] {
        ["ESPALIER_BASE_URL": server.baseURL, "ESPALIER_API_KEY": exampleKey]
    }
}
