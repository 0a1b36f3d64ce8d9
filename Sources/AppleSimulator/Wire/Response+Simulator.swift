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

    /// A page that loads nothing from elsewhere and cannot be framed.
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
    /// Why something was refused: Apple says nothing, a developer at a laptop wants to know.
    static let simulatorReason = HTTPField.Name("Simulator-Reason")!
    /// Who presses the button: a person's name, `new` or `cancel`.
    static let simulatorPerson = HTTPField.Name("Simulator-Person")!
    /// `share` or `hide`: the choice on the sheet of the first authorization.
    static let simulatorEmail = HTTPField.Name("Simulator-Email")!
    /// The name typed on the sheet of the first authorization: the first word is given, the rest the family's.
    static let simulatorName = HTTPField.Name("Simulator-Name")!
}
