import HTTPTypes
import Hummingbird
import NIOCore
import Web

extension Response {
    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        var headers = HTTPFields()
        headers[.contentType] = "application/json;charset=UTF-8"
        headers[.cacheControl] = "no-store"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: value.text)))
    }

    /// Returns a page that loads nothing from other hosts and cannot be framed.
    static func page(_ html: String, status: HTTPResponse.Status = .ok, policy: PagePolicy = Pages.policy) -> Response {
        var headers = HTTPFields()
        headers[.contentType] = "text/html;charset=UTF-8"
        headers[.cacheControl] = "no-store"
        headers[.contentSecurityPolicy] = policy.header
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }
}

extension HTTPField.Name {
    static let contentSecurityPolicy = HTTPField.Name("Content-Security-Policy")!
    /// The reason of a refusal, for developers. Apple sends none.
    static let simulatorReason = HTTPField.Name("Simulator-Reason")!
    /// The person who presses the button: a name, `new` or `cancel`.
    static let simulatorPerson = HTTPField.Name("Simulator-Person")!
    /// `share` or `hide`: the choice on the sheet of the first authorization.
    static let simulatorEmail = HTTPField.Name("Simulator-Email")!
    /// The name on the sheet of the first authorization. The first word is the given name, the rest is the family
    /// name.
    static let simulatorName = HTTPField.Name("Simulator-Name")!
}
