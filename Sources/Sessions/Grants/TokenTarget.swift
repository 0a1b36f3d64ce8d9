package import Encoding

/// The target of access tokens. Every access token of a tenant has one audience, the issuer. A request cannot name another one (RFC 8707,
/// section 2; RFC 8693, section 2.1).
package enum TokenTarget {
    /// The parameters that name a target. Each may be repeated.
    package static let resource: Set = ["resource"]
    package static let resourceOrAudience: Set = ["resource", "audience"]

    /// The reason why the targets of a request are refused, or nil. The error code is `invalid_target`.
    /// - Parameter names: the parameters that name a target in this request.
    package static func refusal(of form: Form, _ names: Set<String>, issuer: String) -> String? {
        for name in names.sorted() where !form.values(name).allSatisfy({ $0.utf8.elementsEqual(issuer.utf8) }) {
            return "\(name) is unknown. Every access token is for the issuer. Send \(issuer), or omit \(name)."
        }
        return nil
    }
}
