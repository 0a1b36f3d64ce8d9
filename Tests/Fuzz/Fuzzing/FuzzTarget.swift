/// One of our parsers, and its required properties for any input: it neither traps nor hangs, and its check holds.
///
/// `FuzzTests` tests the seeds and some thousand mutations of them in every test run. `script/fuzz` gives the target to libFuzzer
/// for any time. When an input has revealed an error, the error is fixed and the input becomes a seed.
public struct FuzzTarget: Sendable, CustomStringConvertible {
    public let name: String
    /// The first inputs: valid ones, and those that once revealed an error.
    public let seeds: [[UInt8]]
    /// The maximum size of an input, in bytes.
    public let largest: Int
    private let check: @Sendable ([UInt8]) throws -> Void

    /// A property that did not hold.
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

    /// For a parser of texts, which never receives bytes that are not UTF-8.
    public init(text name: String, upTo largest: Int = 512, seeds: [String], check: @escaping @Sendable (String) throws -> Void) {
        self.init(name, upTo: largest, seeds: seeds) { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else { return }
            try check(text)
        }
    }

    /// - Throws: `Broken`, or an unexpected error of the check.
    public func run(_ input: [UInt8]) throws {
        try check(input)
    }

    /// Returns the first input that violates a property, with the property; nil if all properties hold.
    public func failure(for inputs: some Sequence<[UInt8]>) -> String? {
        for input in inputs {
            do { try run(input) } catch {
                return "\(name): \(error), for \(String(decoding: input, as: UTF8.self).debugDescription), the bytes \(input)"
            }
        }
        return nil
    }

    /// Made from the seeds, the same in every run.
    public func mutations(_ count: Int) -> some Sequence<[UInt8]> {
        sequence(state: (mutator: Mutator(seed: 2026), left: count)) { state in
            guard state.left > 0 else { return nil }
            state.left -= 1
            return state.mutator.mutation(of: seeds, upTo: largest)
        }
    }

    /// The largest inputs, each of one repeated byte that has a meaning for parsers.
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
    /// By bytes, because for `==` a Kelvin sign equals K.
    public func isExactly(_ other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }

    public var isASCII: Bool {
        utf8.allSatisfy { $0 < 0x80 }
    }

    /// Printable ASCII without a space, which can neither end nor start a line.
    public var isOneWord: Bool {
        !isEmpty && utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
