package import Fuzzing

extension FuzzTarget {
    /// All there are in this package. Those of `espalierctl` stand in its own.
    package static let all =
        web + login + authorization + signingKeys + tenancy + usage + pricing + apple + sealing + postgres + server + simulator + demo
}
