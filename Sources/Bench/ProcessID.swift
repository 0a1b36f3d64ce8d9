import Foundation

/// A process in `/proc` (proc(5)).
struct ProcessID: Sendable, CustomStringConvertible {
    private let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    var description: String { "\(number)" }

    // MARK: Time

    /// The CPU seconds of all its threads so far, in user and kernel mode.
    var processorTime: Double {
        get throws { try Self.stat(number).own }
    }

    /// The same including all its children: running ones, and ended ones that it has waited for. For a server with one
    /// process per connection, such as PostgreSQL.
    var processorTimeWithChildren: Double {
        get throws {
            let living = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
                // A child that ends in between is counted with its parent.
                .compactMap { try? Self.stat($0) }.filter { $0.parent == number }
            let parent = try Self.stat(number)
            return living.reduce(parent.own + parent.waitedFor) { $0 + $1.own + $1.waitedFor }
        }
    }

    /// The CPU seconds of this process's ended children.
    static var processorTimeOfEndedChildren: Double {
        var usage = rusage()
        getrusage(RUSAGE_CHILDREN.rawValue, &usage)
        let seconds = Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        return seconds + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000_000
    }

    private struct Stat {
        let parent: Int32
        let own, waitedFor: Double
    }

    private static let ticksPerSecond = Double(sysconf(Int32(_SC_CLK_TCK)))

    private static func stat(_ number: Int32) throws -> Stat {
        let text = try String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
        // The second field, the name in parentheses, may contain any text. The third field follows the last
        // parenthesis.
        let fields = text[text.index(after: text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        guard fields.count > 14, let parent = Int32(fields[1]) else { throw Stage.Failure("/proc/\(number)/stat has an unknown format") }
        let times = fields[11...14].map { (Double($0) ?? 0) / ticksPerSecond }
        return Stat(parent: parent, own: times[0] + times[1], waitedFor: times[2] + times[3])
    }

    // MARK: Memory

    /// The memory of the process, in megabytes (10⁶ bytes).
    struct Memory: Encodable {
        /// All of its memory, including pages of programs and libraries that other processes may share.
        let resident: Double
        /// The same, with each shared page divided by the number of processes that share it (PSS).
        let proportional: Double
        /// The memory that it has allocated.
        let anonymous: Double
    }

    var memory: Memory {
        get throws {
            let rollup = try String(contentsOfFile: "/proc/\(number)/smaps_rollup", encoding: .utf8)
            func megabytes(_ name: String) throws -> Double {
                let line = rollup.split(separator: "\n").first { $0.hasPrefix(name + ":") }
                guard let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Double($0) })
                else { throw Stage.Failure("/proc/\(number)/smaps_rollup has no \(name)") }
                return kibibytes * 1024 / 1_000_000
            }
            return try Memory(resident: megabytes("Rss"), proportional: megabytes("Pss"), anonymous: megabytes("Anonymous"))
        }
    }
}
