/// A value that prints as its type's name alone, because it holds tokens, keys or what is known of a person.
///
/// `dump`, interpolation and a logger's metadata all go through one of the three.
protocol Unprintable: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Unprintable {
    package var description: String { "\(Self.self)(…)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
