import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// A run of the built `espalierctl` at a pseudo-terminal. The test reads the screen and types.
///
/// The standard output is a file. If the terminal has a width, the standard output is the terminal.
final class TerminalRun {
    struct Silence: Error, CustomStringConvertible {
        let awaited: String
        let screen: String
        var description: String { "waited for \"\(awaited)\", and saw:\n\(screen)" }
    }

    private let program: Program
    /// The reading thread also holds it, so its descriptor cannot become that of another file during a read.
    private let terminal: FileHandle
    private let output: FileHandle
    private var arrivals: AsyncStream<String>.Iterator
    /// The complete output on the terminal.
    private(set) var screen = ""
    /// The lines on the terminal, without the spinner that a slow response shows and erases.
    var lines: [String] { screen.split(separator: "\n").map { $0.components(separatedBy: "\r\u{1B}[K").last! } }
    /// The part of the output that no call of `sees` has consumed.
    private var unread = ""

    /// Starts the program.
    /// - Parameter columns: the width of the terminal. With a width, the standard output is also the terminal.
    convenience init(_ arguments: String..., environment: [String: String], folder: URL? = nil, columns: UInt16? = nil) throws {
        try self.init(arguments: arguments, environment: environment, folder: folder, columns: columns)
    }

    init(arguments: [String], environment: [String: String], folder: URL? = nil, columns: UInt16? = nil) throws {
        let (terminal, person) = try Self.pair()
        self.terminal = terminal
        if let columns {
            var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
            guard ioctl(terminal.fileDescriptor, UInt(TIOCSWINSZ), &size) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        }
        output = try .unnamed()
        program = try Program(
            arguments, environment: environment.merging(["NO_COLOR": "1"]) { $1 }, folder: folder,
            streams: [person, columns == nil ? output : person, person])
        // The reading thread ends when no process has the other side open.
        try person.close()

        let (chunks, arrival) = AsyncStream.makeStream(of: String.self)
        arrivals = chunks.makeAsyncIterator()
        Thread {
            var (buffer, bytes) = ([UInt8](repeating: 0, count: 4096), [UInt8]())
            while case let count = read(terminal.fileDescriptor, &buffer, buffer.count), count > 0 {
                bytes += buffer.prefix(count)
                // A line break or a character can arrive in two parts.
                guard bytes.last != UInt8(ascii: "\r"), let text = String(validating: bytes, as: UTF8.self) else { continue }
                arrival.yield(text.replacingOccurrences(of: "\r\n", with: "\n"))
                bytes = []
            }
            arrival.yield(String(decoding: bytes, as: UTF8.self))
            arrival.finish()
        }.start()
        // After 120 s the program is killed. A waiting test then fails with the output so far.
        let watch = DispatchSource.makeTimerSource(queue: .global())
        watch.schedule(deadline: .now() + 120)
        watch.setEventHandler { [program] in program.signal(SIGKILL) }
        watch.resume()
        watchdog = watch
    }

    private let watchdog: any DispatchSourceTimer

    /// Opens a new pseudo-terminal.
    /// - Returns: the sides of the test and of the program.
    private static func pair() throws -> (ours: FileHandle, theirs: FileHandle) {
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
        return (FileHandle(fileDescriptor: ours, closeOnDealloc: true), FileHandle(fileDescriptor: theirs, closeOnDealloc: true))
    }

    deinit {
        watchdog.cancel()
        program.signal(SIGKILL)
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
        try? terminal.write(contentsOf: Data(text.utf8))
    }

    /// Sends the signal of Ctrl-C.
    func interrupt() {
        program.signal(SIGINT)
    }

    /// Waits for the end of the program.
    /// - Returns: the exit status and the standard output.
    func end() async throws -> (status: Int32, output: String) {
        while let arrival = await arrivals.next() { screen += arrival }
        let status = try await program.end()
        watchdog.cancel()
        return (status, try output.text())
    }
}
