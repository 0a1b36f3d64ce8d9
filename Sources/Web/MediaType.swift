import Foundation
package import Hummingbird

extension Request {
    /// The body's media type without its parameters, in lower case (RFC 9110, section 8.3.1).
    package var mediaType: String? {
        headers[.contentType].map { $0.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased() }
    }
}
