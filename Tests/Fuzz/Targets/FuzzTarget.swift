/// A parser of ours, and what must hold for whatever bytes it is given: that it neither traps nor hangs, and what its check says.
///
/// `FuzzTests` tries the seeds and some hundred mutations of them at every test run; `script/fuzz` hands the target to libFuzzer,
/// for as long as one likes. An input that broke something is mended and becomes a seed.
package struct FuzzTarget: Sendable, CustomStringConvertible {
    package let name: String
    /// Inputs to begin with: good ones, and those that once broke something.
    package let seeds: [[UInt8]]
    /// The largest input worth trying, in bytes.
    package let largest: Int
    private let check: @Sendable ([UInt8]) throws -> Void

    /// What did not hold.
    package struct Broken: Error, CustomStringConvertible {
        package let description: String
    }

    init(
        _ name: String, upTo largest: Int = 512, seeds: [String] = [], bytes: [[UInt8]] = [],
        check: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        (self.name, self.largest, self.check) = (name, largest, check)
        self.seeds = seeds.map { Array($0.utf8) } + bytes
    }

    /// Of a parser of texts: bytes that are no UTF-8 never reach one.
    init(text name: String, upTo largest: Int = 512, seeds: [String], check: @escaping @Sendable (String) throws -> Void) {
        self.init(name, upTo: largest, seeds: seeds) { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else { return }
            try check(text)
        }
    }

    /// For tests of the testing itself.
    package init(name: String, holds: @escaping @Sendable ([UInt8]) -> Bool) {
        self.init(name, bytes: [[]]) { try hold(holds($0), "it does not hold") }
    }

    /// - Throws: `Broken`.
    package func run(_ input: [UInt8]) throws {
        try check(input)
    }

    package var description: String { name }

    /// All there are.
    package static let all = web + login + signingKeys + tenancy + apple + sealing + postgres + server + simulator
}

/// - Throws: `FuzzTarget.Broken` with this text, unless the condition holds.
func hold(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    guard condition else { throw FuzzTarget.Broken(description: what()) }
}

extension String {
    /// Byte for byte: to `==`, a Kelvin sign is a K.
    func isExactly(_ other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }

    var isASCII: Bool {
        utf8.allSatisfy { $0 < 0x80 }
    }

    /// Of printable ASCII without a space: what can neither end a line nor begin another.
    var isOneWord: Bool {
        !isEmpty && utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
