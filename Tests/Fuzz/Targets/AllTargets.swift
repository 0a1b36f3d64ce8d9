package import Fuzzing

extension FuzzTarget {
    /// All targets of this package. The targets of `espalierctl` are in its own package.
    package static let all =
        web + login + authorization + authKit + clientKeys + signingKeys + tenancy + registration + usage + pricing + apple + sealing
        + postgres + server + simulator + demo
        + button + mail + domains + factors + passkeys
}
