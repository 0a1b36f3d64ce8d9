package import Encoding
import HTTPTypes
package import Hummingbird

/// A form that a page of this server sends. Its content is bounded, and read by bytes.
package struct OwnForm: Sendable {
    package enum Refusal: Error {
        /// Another site sends it.
        case foreign
        /// It is not a form, or a field is malformed or occurs twice.
        case malformed
    }

    private let form: Form

    /// - Parameters:
    ///   - origin: The origin of the page, as a browser writes it. Nil accepts no request that states its origin.
    ///   - limit: The size of the longest form in bytes.
    /// - Throws: `Refusal`; the errors of `RequestBody.whole` for a body that is too large (413) or too slow (408).
    package init(_ request: Request, at origin: String?, upTo limit: Int) async throws {
        guard request.isFromPage(at: origin) else { throw Refusal.foreign }
        guard request.mediaType?.isSame(as: "application/x-www-form-urlencoded") == true else { throw Refusal.malformed }
        do { form = try await Form(request.body, upTo: limit) } catch is Form.Refusal { throw Refusal.malformed }
    }

    /// The value of a field. Nil if it is absent or empty.
    package subscript(_ name: String) -> String? { form[name] }

    package var fields: Form { form }
}

extension Request {
    /// Whether a page of an origin sends the request, or the person without a page (Fetch Metadata Request Headers, section 2.3; Fetch
    /// Standard, section 3.2, "Origin header"). Each header that the browser sends must say so. A client without both headers is accepted,
    /// because a secret of the browser protects every decision.
    package func isFromPage(at origin: String?) -> Bool {
        if let site = headers[.secFetchSite], !site.isSame(as: "same-origin"), !site.isSame(as: "none") { return false }
        guard let sent = headers[.origin] else { return true }
        return origin?.isSame(as: sent) == true
    }

    /// The values of the cookies with a name, read by bytes. A browser sends one. Without `__Host-`, a sibling domain can add others, so
    /// only a few are read.
    package func cookies(named name: String) -> [String] {
        let values = headers[values: .cookie].lazy.flatMap { $0.parts(at: ";") }.compactMap { pair -> String? in
            let parts = pair.withoutBlanks.parts(at: "=", atMost: 2, includingEmpty: true)
            return parts.count == 2 && parts[0].isSame(as: name) && !parts[1].isEmpty ? String(parts[1]) : nil
        }
        return Array(values.prefix(4))
    }
}

extension HTTPField.Name {
    fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
