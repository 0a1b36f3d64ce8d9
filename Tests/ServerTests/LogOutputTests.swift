import Foundation
import Logging
import Server
import Synchronization
import Testing

/// The lines of logs in a pipe. The test says when the moment of the waiting lines is over.
@Suite("Log output")
struct LogOutputTests {
    private let pipe = Pipe()
    private let moments = Moments()

    private final class Moments: Sendable {
        let actions = Mutex<[@Sendable () -> Void]>([])

        func end() {
            for action in actions.withLock({ actions in exchange(&actions, with: []) }) { action() }
        }
    }

    private var output: LogOutput {
        let moments = moments
        return LogOutput(pipe.fileHandleForWriting.fileDescriptor) { action in moments.actions.withLock { $0.append(action) } }
    }

    /// The bytes of the next read. A pipe that nobody wrote to has none.
    private func read() -> String {
        let file = pipe.fileHandleForReading.fileDescriptor
        _ = fcntl(file, F_SETFL, O_NONBLOCK)
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = bytes.withUnsafeMutableBytes { Foundation.read(file, $0.baseAddress, $0.count) }
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }

    @Test("lines wait for one moment, and are then written together")
    func together() {
        let output = output
        output.append(Array("a\n".utf8), isUrgent: false)
        output.append(Array("b\n".utf8), isUrgent: false)
        #expect(read().isEmpty && moments.actions.withLock { $0.count } == 1)
        moments.end()
        #expect(read() == "a\nb\n")
        output.append(Array("c\n".utf8), isUrgent: false)
        moments.end()
        #expect(read() == "c\n")
    }

    @Test("a pipe that is full gets the lines when its reader continues")
    func full() async throws {
        let (file, reader) = (pipe.fileHandleForWriting.fileDescriptor, pipe.fileHandleForReading.fileDescriptor)
        _ = fcntl(file, F_SETFL, O_NONBLOCK)
        let filler = [UInt8](repeating: UInt8(ascii: "f"), count: 4096)
        while filler.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) > 0 {}
        let output = output
        let writing = Task.detached { output.append(Array("late\n".utf8), isUrgent: true) }
        var (text, bytes) = ("", [UInt8](repeating: 0, count: 1 << 20))
        // The reader blocks until there is something, so that it does not run ahead of the writer.
        while !text.hasSuffix("late\n") {
            let count = bytes.withUnsafeMutableBytes { Foundation.read(reader, $0.baseAddress, $0.count) }
            text = String(decoding: bytes.prefix(max(count, 0)).suffix(5), as: UTF8.self)
        }
        await writing.value
    }

    @Test("an urgent line is written at once, after the waiting lines")
    func urgent() {
        let output = output
        output.append(Array("a\n".utf8), isUrgent: false)
        output.append(Array("failed\n".utf8), isUrgent: true)
        #expect(read() == "a\nfailed\n")
        moments.end()
        #expect(read().isEmpty)
    }

    @Test("a write ends with a line and has at most PIPE_BUF bytes, and a longer line is whole")
    func longLines() {
        let output = output
        let line = Array((String(repeating: "x", count: 99) + "\n").utf8)
        for _ in 0..<41 { output.append(line, isUrgent: false) }
        #expect(read().utf8.count == 4000)
        moments.end()
        #expect(read().utf8.count == 100)
        output.append(line, isUrgent: false)
        output.append(Array((String(repeating: "y", count: 9999) + "\n").utf8), isUrgent: false)
        moments.end()
        #expect(read().utf8.count == 10_100)
    }

    @Test("lines are JSON with their level, and lines from warning on are not delayed")
    func levels() {
        let output = output
        var logger = Logger(label: "test") { _ in JSONLog(level: .info, to: output) }
        logger[metadataKey: "hb.request.id"] = "1"
        logger.debug("hidden")
        logger.info("served", metadata: ["status": "200"])
        #expect(read().isEmpty)
        logger.warning("a \"quoted\" text")
        let lines = read().split(separator: "\n").map(String.init)
        #expect(lines.count == 2)
        #expect(lines.first?.hasSuffix(#""level":"info","message":"served","status":"200"}"#) == true)
        #expect(lines.last?.hasSuffix(#""level":"warning","message":"a \"quoted\" text"}"#) == true)
    }

    @Test("the end of the program writes the lines that wait")
    func end() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            Logger(label: "test") { _ in JSONLog(level: .info) }.info("the last line")
            exit(0)
        }
        let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(output.contains("\"the last line\""), "\(output)")
    }
}
