package import Fuzzing

extension FuzzTarget {
    /// All fuzz targets of this package. Their names begin with `cli-`, so that `script/fuzz` can separate them from the server's.
    package static let all = arguments + settings + wire
}
