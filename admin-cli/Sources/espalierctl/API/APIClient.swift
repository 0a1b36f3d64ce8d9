import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Asks the REST API as the holder of one key.
struct APIClient {
    let baseURL: URL
    let apiKey: APIKey
    /// Seconds without a byte from the server.
    var timeout: Double = 30

    /// How often a call is sent again.
    private static let repetitions = 3
    /// The longest wait, in seconds, that is worth a person's time.
    private static let patience = 60

    /// Makes a call, and where its guardian's version is needed, reads that first.
    ///
    /// A POST carries an `Idempotency-Key`, the same however often it is sent: repeating one whose answer was lost does nothing twice.
    /// - Throws: ``Failure``: what the server said, or that it could not be asked.
    func send(_ call: Call) async throws(Failure) -> Reply {
        var request = URLRequest(url: try url(of: call), timeoutInterval: timeout)
        request.httpMethod = call.method.rawValue
        request.setValue("Bearer \(apiKey.text)", forHTTPHeaderField: "Authorization")
        request.setValue("application/json, application/problem+json", forHTTPHeaderField: "Accept")
        request.setValue("espalierctl/\(Espalierctl.version)", forHTTPHeaderField: "User-Agent")
        if let body = call.body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = body.encoded()
        }
        if call.method == .post { request.setValue(UUID().uuidString.lowercased(), forHTTPHeaderField: "Idempotency-Key") }
        if let tag = try await entityTag(for: call) { request.setValue(tag, forHTTPHeaderField: "If-Match") }

        let (data, response) = try await patiently(request)
        guard (200...299).contains(response.statusCode) else { throw Problem(data, response).failure(of: call) }
        let entityTag = response.value(forHTTPHeaderField: "ETag")
        if data.isEmpty { return Reply(text: "", json: .null, entityTag: entityTag) }
        guard let json = try? JSONDecoder().decode(JSON.self, from: data), case .object = json
        else { throw .shape(requestID: response.value(forHTTPHeaderField: "Request-Id")) }
        return Reply(text: String(decoding: data, as: UTF8.self), json: json, entityTag: entityTag)
    }

    /// Fetches a page for people.
    /// - Throws: as `send`.
    func page(_ call: Call) async throws(Failure) -> String {
        var request = URLRequest(url: try url(of: call), timeoutInterval: timeout)
        request.setValue("Bearer \(apiKey.text)", forHTTPHeaderField: "Authorization")
        request.setValue("text/html, application/problem+json", forHTTPHeaderField: "Accept")
        request.setValue("espalierctl/\(Espalierctl.version)", forHTTPHeaderField: "User-Agent")
        let (data, response) = try await patiently(request)
        guard (200...299).contains(response.statusCode) else { throw Problem(data, response).failure(of: call) }
        guard response.value(forHTTPHeaderField: "Content-Type")?.utf8.starts(with: "text/html".utf8) == true
        else { throw .shape(requestID: response.value(forHTTPHeaderField: "Request-Id")) }
        return String(decoding: data, as: UTF8.self)
    }

    /// Fetches the elements of a list to its end.
    func all(_ call: Call) async throws(Failure) -> [JSON] {
        try await list(call).json["data"]?.elements ?? []
    }

    /// Fetches a list to its end, as one page with the elements as the server wrote them.
    func list(_ call: Call) async throws(Failure) -> Reply {
        var (call, elements, texts) = (call, [JSON](), [String]())
        if !call.query.contains(where: { $0.name == "limit" }) { call.query.append(("limit", "100")) }
        while true {
            let reply = try await send(call)
            guard let page = reply.json["data"]?.elements, let text = JSONText.member("data", of: reply.text) else { throw .shape() }
            elements += page
            texts += JSONText.parts(of: text)
            guard !page.isEmpty, let after = reply.json["list_metadata.after"]?.string else {
                let text = #"{"object":"list","data":[\#(texts.joined(separator: ","))],"list_metadata":{"before":null,"after":null}}"#
                let metadata = JSON.object(["before": .null, "after": .null])
                return Reply(
                    text: text, json: .object(["object": "list", "data": .array(elements), "list_metadata": metadata]), entityTag: nil)
            }
            call.query.removeAll { ["after", "before"].contains($0.name) }
            call.query.append(("after", after))
        }
    }

    func url(of call: Call) throws(Failure) -> URL {
        let base = baseURL.absoluteString
        guard let url = URL(string: base + (base.hasSuffix("/") ? "" : "/") + call.target)
        else { throw Failure(status: .usage, detail: "There is no such address.", nextStep: "Check the base URL.") }
        return url
    }

    private func entityTag(for call: Call) async throws(Failure) -> String? {
        if let tag = call.entityTag { return tag }
        guard let guardian = call.guardian else { return nil }
        guard let tag = try await send(.get(guardian)).entityTag else { throw .shape() }
        return tag
    }

    /// Sends a request, and again when the server says that it only has to wait (429, 503) or the connection was lost.
    private func patiently(_ request: URLRequest) async throws(Failure) -> (Data, HTTPURLResponse) {
        var attempt = 0
        while true {
            attempt += 1
            let wait: Int
            switch await exchange(request) {
            case .success(let (data, response)):
                guard attempt <= Self.repetitions, [429, 503].contains(response.statusCode),
                    let seconds = response.value(forHTTPHeaderField: "Retry-After").flatMap({ Int($0) }),
                    (0...Self.patience).contains(seconds)
                else { return (data, response) }
                wait = seconds
                Terminal.standardError.report("The server asks to wait \(wait) s; trying again (\(attempt) of \(Self.repetitions)).")
            case .failure(let error):
                // A change that may have happened must not be made twice; a POST's key sees to that.
                guard attempt <= Self.repetitions, error.code == .networkConnectionLost, ["GET", "POST"].contains(request.httpMethod)
                else {
                    throw Failure(
                        status: .failure, detail: "\(baseURL.absoluteString) can't be reached: \(error.localizedDescription)",
                        nextStep: "Check the base URL, and that Espalier runs.")
                }
                wait = attempt
                Terminal.standardError.report("The connection was lost; trying again (\(attempt) of \(Self.repetitions)).")
            }
            try? await Task.sleep(for: .seconds(wait))
        }
    }

    /// Sends a request once, exactly as it is. A redirect is the response.
    func exchange(_ request: URLRequest) async -> Result<(Data, HTTPURLResponse), URLError> {
        let progress = Progress("Waiting for \(request.url?.host() ?? "the server")")
        defer { progress.end() }
        var head: HTTPURLResponse?
        var body = Data()
        do {
            for try await part in receive(request) {
                switch part {
                case .head(let response): head = response
                case .data(let data): body += data
                }
            }
        } catch {
            return .failure(error as? URLError ?? URLError(.unknown))
        }
        guard let head else { return .failure(URLError(.badServerResponse)) }
        return .success((body, head))
    }
}
