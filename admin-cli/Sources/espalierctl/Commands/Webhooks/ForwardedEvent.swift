import Crypto
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The secret that signs forwarded events, as in Standard Webhooks.
struct ForwardingSecret {
    /// `whsec_` and the base64 of 32 bytes.
    let text: String
    private let key: SymmetricKey

    init(key: SymmetricKey = SymmetricKey(size: .bits256)) {
        self.key = key
        text = "whsec_" + key.withUnsafeBytes { Data($0).base64EncodedString() }
    }

    func signature(id: String, timestamp: Int, body: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Data("\(id).\(timestamp).\(body)".utf8), using: key)
        return "v1,\(Data(code).base64EncodedString())"
    }
}

/// An event of the stream, as a request to the address on this machine.
struct ForwardedEvent {
    let id: String
    let type: String
    let body: String

    /// Nil if the event has no ID.
    init?(_ event: ServerSentEvents.Event) {
        guard let id = event.id else { return nil }
        (self.id, type, body) = (id, event.type, event.data)
    }

    /// The request, with the headers of a delivery. The limit of 15 s is that of a delivery.
    func request(to address: URL, signedBy secret: ForwardingSecret, at now: Date) -> URLRequest {
        var request = URLRequest(url: address, timeoutInterval: 15)
        let timestamp = Int(now.timeIntervalSince1970)
        request.httpMethod = "POST"
        request.httpBody = Data(body.utf8)
        for (name, value) in [
            ("Content-Type", "application/json"), ("User-Agent", "espalierctl/\(Espalierctl.version)"), ("webhook-id", id),
            ("webhook-timestamp", String(timestamp)), ("webhook-signature", secret.signature(id: id, timestamp: timestamp, body: body)),
        ] { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }
}
