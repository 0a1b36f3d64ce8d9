import CLibFuzzer
import Foundation

public import Fuzzing

/// The program of `script/fuzz` for the targets of one package. It gives one target to libFuzzer, whose own arguments follow the
/// target's name.
///
///     Fuzz                               the targets' names and the length of their largest input
///     Fuzz --seeds TARGET FOLDER         writes the target's seeds into a folder, a file each
///     Fuzz TARGET [libFuzzer's arguments]
public struct FuzzRunner {
    private let targets: [FuzzTarget]

    public init(_ targets: [FuzzTarget]) {
        self.targets = targets
    }

    public func run() {
        var arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case nil:
            for target in targets { print(target.name, target.largest) }
        case "--seeds" where arguments.count == 4:
            for (number, seed) in find(arguments[2]).seeds.enumerated() { write(seed, to: "\(arguments[3])/seed-\(number)") }
        case let name?:
            target = find(name)
            arguments.remove(at: 1)
            var count = Int32(arguments.count)
            var pointers = arguments.map { strdup($0) } + [nil]
            pointers.withUnsafeMutableBufferPointer { pointers in
                var first = pointers.baseAddress
                exit(LLVMFuzzerRunDriver(&count, &first, tryInput))
            }
        }
    }

    private func find(_ name: String) -> FuzzTarget {
        guard let target = targets.first(where: { $0.name == name }) else {
            fail("There is no target \(name).")
        }
        return target
    }

    private func fail(_ reason: String) -> Never {
        FileHandle.standardError.write(Data("fuzz: \(reason)\n".utf8))
        exit(2)
    }

    private func write(_ bytes: [UInt8], to path: String) {
        do { try Data(bytes).write(to: URL(filePath: path)) } catch { fail("\(path) cannot be written.") }
    }
}

/// Set once, before libFuzzer starts. libFuzzer's callback is a C function, which cannot capture values.
nonisolated(unsafe) private var target: FuzzTarget?

private func tryInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do {
        try target?.run(Array(UnsafeBufferPointer(start: data, count: count)))
    } catch {
        // libFuzzer saves the input of a process that crashes.
        fatalError("\(target?.name ?? ""): \(error)")
    }
    return 0
}
