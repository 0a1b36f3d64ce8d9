

/// A parser of ours, and what must hold for whatever bytes it is given: that it neither traps nor hangs, and what its check says.
///
/// `FuzzTests` tries the seeds and some thousand mutations of them at every test run; `script/fuzz` hands the target to libFuzzer,
/// for as long as one likes. An input that broke something is mended and becomes a seed.
public struct FuzzTarget: Sendable, CustomStringConvertible {
    public let name: String
    /// Inputs to begin with: good ones, and those that once broke something.
    public let seeds: [[UInt8]]
    /// The largest input worth trying, in bytes.
    public let largest: Int
    private let check: @Sendable ([UInt8]) throws -> Void

    /// What did not hold.
    public struct Broken: Error, CustomStringConvertible {
        public let description: String
    }

    public init(
        _ name: String, upTo largest: Int = 512, seeds: [String] = [], bytes: [[UInt8]] = [],
        check: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        (self.name, self.largest, self.check) = (name, largest, check)
        self.seeds = seeds.map { Array($0.utf8) } + bytes
    }

    /// Of a parser of texts: bytes that are no UTF-8 never reach one.
    public init(text name: String, upTo largest: Int = 512, seeds: [String], check: @escaping @Sendable (String) throws -> Void) {
        self.init(name, upTo: largest, seeds: seeds) { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else { return }
            try check(text)
        }
    }

    /// - Throws: `Broken`, or what the check did not expect to be thrown.
    public func run(_ input: [UInt8]) throws {
        try check(input)
    }

    /// The first of the inputs for which something does not hold, and what; nil when all holds.
    public func failure(for inputs: some Sequence<[UInt8]>) -> String? {
        for input in inputs {
            do { try run(input) } catch {
                return "\(name): \(error), for \(String(decoding: input, as: UTF8.self).debugDescription), the bytes \(input)"
            }
        }
        return nil
    }

    /// Made from the seeds: the same at every run.
    public func mutations(_ count: Int) -> some Sequence<[UInt8]> {
        sequence(state: (mutator: Mutator(seed: 2026), left: count)) { state in
            guard state.left > 0 else { return nil }
            state.left -= 1
            return state.mutator.mutation(of: seeds, upTo: largest)
        }
    }

    /// The largest inputs, each all of one byte that means something to a parser.
    public var monotonies: some Sequence<[UInt8]> {
        (Array(#"&=,;.:/-"[{% A0"#.utf8) + [0, 0x0A, 0xC3, 0xFF]).lazy.map { [UInt8](repeating: $0, count: largest) }
    }

    public var description: String { name }
}

/// - Throws: `FuzzTarget.Broken` with this text, unless the condition holds.
public func hold(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    guard condition else { throw FuzzTarget.Broken(description: what()) }
}

extension String {
    /// Byte for byte: to `==`, a Kelvin sign is a K.
    public func isExactly(_ other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }

    public var isASCII: Bool {
        utf8.allSatisfy { $0 < 0x80 }
    }

    /// Of printable ASCII without a space: what can neither end a line nor begin another.
    public var isOneWord: Bool {
        !isEmpty && utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
