/// A value that prints only the name of its type, because it contains tokens, keys or personal data.
///
/// `dump`, interpolation and logger metadata all use one of the three protocols.
protocol Unprintable: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Unprintable {
    package var description: String { "\(Self.self)(…)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
