package import Fuzzing

extension FuzzTarget {
    /// All there are in this package. Their names begin with `cli-`, so that `script/fuzz` tells them from the server's.
    package static let all = arguments + settings + wire
}
