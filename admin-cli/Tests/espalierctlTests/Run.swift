import Foundation

/// The result of one run of the built `espalierctl`.
struct Run {
    var status: Int32
    var output: String
    var messages: String

    static let exampleKey = "esk_test_0123456789abcdefghijklmnopqrst000000"

    /// Runs the program that was built with these tests, without the environment of this process.
    init(_ arguments: String..., environment: [String: String] = [:], input: String = "") async throws {
        try await self.init(arguments: arguments, environment: environment, input: input)
    }

    /// Runs the program with arguments.
    /// - Parameter folder: the working directory. By default, that of the tests.
    init(arguments: [String], environment: [String: String] = [:], input: String = "", folder: URL? = nil) async throws {
        let (written, reported) = (try FileHandle.unnamed(), try FileHandle.unnamed())
        let program = try Program(
            arguments, environment: environment, folder: folder, streams: [.unnamed(input), written, reported])
        status = try await program.end()
        (output, messages) = (try written.text(), try reported.text())
    }

    /// The environment for a server.
    static func environment(for server: StubServer) -> [String: String] {
        ["ESPALIER_BASE_URL": server.baseURL, "ESPALIER_API_KEY": exampleKey]
    }
}
