import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// A run of the built `espalierctl` at a pseudo-terminal. The test reads the screen and types.
///
/// The standard output is a pipe. If the terminal has a width, the standard output is the terminal.
final class TerminalRun {
    struct Silence: Error, CustomStringConvertible {
        let awaited: String
        let screen: String
        var description: String { "waited for \"\(awaited)\", and saw:\n\(screen)" }
    }

    private let process = Process()
    private let terminal: Int32
    private let output = Pipe()
    private let ended: AsyncStream<Void>
    private var arrivals: AsyncStream<String>.Iterator
    /// The complete output on the terminal.
    private(set) var screen = ""
    /// The part of the output that no call of `sees` has consumed.
    private var unread = ""

    /// Starts the program.
    /// - Parameter columns: the width of the terminal. With a width, the standard output is also the terminal.
    convenience init(_ arguments: String..., environment: [String: String], folder: URL? = nil, columns: UInt16? = nil) throws {
        try self.init(arguments: arguments, environment: environment, folder: folder, columns: columns)
    }

    init(arguments: [String], environment: [String: String], folder: URL? = nil, columns: UInt16? = nil) throws {
        let person: Int32
        (terminal, person) = try Self.pair()
        if let columns {
            var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
            guard ioctl(terminal, UInt(TIOCSWINSZ), &size) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        }
        let handle = FileHandle(fileDescriptor: person, closeOnDealloc: false)
        process.executableURL = Run.program
        process.arguments = arguments
        process.environment = environment.merging(["NO_COLOR": "1"]) { $1 }
        if let folder { process.currentDirectoryURL = folder }
        (process.standardInput, process.standardError) = (handle, handle)
        process.standardOutput = columns == nil ? output : handle
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        self.ended = ended
        process.terminationHandler = { _ in end.finish() }
        try process.run()
        // The reading thread ends when no process has the other side open.
        close(person)

        let (chunks, arrival) = AsyncStream.makeStream(of: String.self)
        arrivals = chunks.makeAsyncIterator()
        let descriptor = terminal
        Thread {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
                arrival.yield(String(decoding: buffer.prefix(count), as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n"))
            }
            arrival.finish()
        }.start()
        // After 120 s the program is killed. A waiting test then fails with the output so far.
        let id = process.processIdentifier
        let watch = DispatchSource.makeTimerSource(queue: .global())
        watch.schedule(deadline: .now() + 120)
        watch.setEventHandler { kill(id, SIGKILL) }
        watch.resume()
        watchdog = watch
    }

    private let watchdog: any DispatchSourceTimer

    /// Opens a new pseudo-terminal.
    /// - Returns: the descriptors for the test and for the program.
    private static func pair() throws -> (ours: Int32, theirs: Int32) {
        #if canImport(Glibc)
        // The same as posix_openpt, unlockpt and ptsname, which Swift's Glibc module lacks.
        let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
        let ours = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (lock, number): (Int32, Int32) = (0, -1)
        guard ours >= 0, ioctl(ours, setLock, &lock) == 0, ioctl(ours, getNumber, &number) == 0
        else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let name = "/dev/pts/\(number)"
        #else
        let ours = posix_openpt(O_RDWR | O_NOCTTY)
        guard ours >= 0, grantpt(ours) == 0, unlockpt(ours) == 0, let name = ptsname(ours).map({ String(cString: $0) })
        else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        #endif
        let theirs = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard theirs >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        return (ours, theirs)
    }

    deinit {
        watchdog.cancel()
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        close(terminal)
    }

    /// Waits until the terminal shows a text after the previous one.
    func sees(_ text: String) async throws {
        while true {
            if let range = unread.range(of: text) {
                unread = String(unread[range.upperBound...])
                return
            }
            guard let arrival = await arrivals.next() else { throw Silence(awaited: text, screen: screen) }
            screen += arrival
            unread += arrival
        }
    }

    /// Waits for a question and types the answer.
    func answers(_ question: String, _ answer: String) async throws {
        try await sees(question)
        type(answer + "\n")
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(terminal, bytes, bytes.count)
    }

    /// Sends the signal of Ctrl-C.
    func interrupt() {
        kill(process.processIdentifier, SIGINT)
    }

    /// Waits for the end of the program.
    /// - Returns: the exit status and the standard output.
    func end() async throws -> (status: Int32, output: String) {
        while let arrival = await arrivals.next() { screen += arrival }
        for await _ in ended {}
        watchdog.cancel()
        try? output.fileHandleForWriting.close()
        return (process.terminationStatus, String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self))
    }
}
