import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A client of the REST API with one API key or one person's login.
struct APIClient {
    let baseURL: URL
    let credential: CurrentCredential
    /// The tenant for a person with several memberships, for paths without a tenant.
    var tenant: String?
    /// Signs the person in again. Nil if there is no terminal, or if an API key authenticates the calls.
    var signInAgain: (@Sendable () async throws(Failure) -> LoginToken)?
    /// The longest time without a byte from the server, in seconds.
    var timeout: Double = 30

    /// The number of retries of a call.
    private static let retries = 3
    /// The longest wait before a retry, in seconds. A longer one is not worth a person's time.
    private static let longestWait = 60

    /// Sends a call. If the call requires an `If-Match`, the client first reads the current `ETag`.
    ///
    /// A POST carries an `Idempotency-Key`, which is the same in every retry. A retry after a lost response therefore repeats nothing.
    /// If the change needs a recent sign-in, the person signs in again, and the client repeats the call once.
    /// - Throws: ``Failure`` with the server's problem, or with the reason why the server was unreachable.
    func send(_ call: Call) async throws(Failure) -> Reply {
        do {
            return try await sendOnce(call)
        } catch {
            guard error.problem?.code == "recent_sign_in_required", let signInAgain else { throw error }
            credential.value = .login(try await signInAgain())
            return try await sendOnce(call)
        }
    }

    private func sendOnce(_ call: Call) async throws(Failure) -> Reply {
        var request = try request(for: call, accepting: "application/json, application/problem+json")
        request.httpMethod = call.method.rawValue
        if let body = call.body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = body.encoded()
        }
        if let file = call.file {
            request.setValue(file.mediaType, forHTTPHeaderField: "Content-Type")
            request.httpBody = file.bytes
        }
        if call.method == .post { request.setValue(UUID().uuidString.lowercased(), forHTTPHeaderField: "Idempotency-Key") }
        if let tag = try await entityTag(for: call) { request.setValue(tag, forHTTPHeaderField: "If-Match") }

        let (data, response) = try await sendWithRetries(request)
        guard (200...299).contains(response.statusCode) else { throw failure(data, response, of: call) }
        let entityTag = response.value(forHTTPHeaderField: "ETag")
        if data.isEmpty { return Reply(text: "", json: .null, entityTag: entityTag) }
        guard let json = try? JSONDecoder().decode(JSON.self, from: data), case .object = json
        else { throw .shape(requestID: response.value(forHTTPHeaderField: "Request-Id")) }
        return Reply(text: String(decoding: data, as: UTF8.self), json: json, entityTag: entityTag)
    }

    /// Fetches an HTML page.
    /// - Throws: ``Failure``, like `send`.
    func page(_ call: Call) async throws(Failure) -> String {
        let (data, response) = try await sendWithRetries(request(for: call, accepting: "text/html, application/problem+json"))
        guard (200...299).contains(response.statusCode) else { throw failure(data, response, of: call) }
        guard response.value(forHTTPHeaderField: "Content-Type")?.utf8.starts(with: "text/html".utf8) == true
        else { throw .shape(requestID: response.value(forHTTPHeaderField: "Request-Id")) }
        return String(decoding: data, as: UTF8.self)
    }

    /// Fetches all elements of a list.
    func all(_ call: Call) async throws(Failure) -> [JSON] {
        try await list(call).json["data"]?.elements ?? []
    }

    /// Fetches all pages of a list as one page. The elements stay exactly as the server wrote them.
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

    /// A GET request with the headers of every call.
    func request(for call: Call, accepting types: String) throws(Failure) -> URLRequest {
        var request = URLRequest(url: try url(of: call), timeoutInterval: timeout)
        request.setValue("Bearer \(credential.value.text)", forHTTPHeaderField: "Authorization")
        request.setValue(types, forHTTPHeaderField: "Accept")
        request.setValue("espalierctl/\(Espalierctl.version)", forHTTPHeaderField: "User-Agent")
        // The path of the others names the tenant, or they are for operators, who would act for the tenant if they are its members.
        let acceptsTenant = !["tenants", "platform", "usage", "rate-cards"].contains(call.path.parts(at: "/")[0])
        if credential.isLogin, acceptsTenant, let tenant = call.tenant ?? tenant {
            request.setValue(tenant, forHTTPHeaderField: "Espalier-Tenant")
        }
        return request
    }

    /// The failure for a rejected call.
    func failure(_ data: Data, _ response: HTTPURLResponse, of call: Call) -> Failure {
        Problem(data, response).failure(of: call, isLogin: credential.isLogin)
    }

    func url(of call: Call) throws(Failure) -> URL {
        let base = baseURL.absoluteString
        guard let url = URL(string: base + (base.hasSuffix("/") ? "" : "/") + call.target)
        else {
            throw Failure(
                status: .usage, detail: "The base URL is invalid.", nextStep: "Check ESPALIER_BASE_URL, --base-url or the profile.")
        }
        return url
    }

    private func entityTag(for call: Call) async throws(Failure) -> String? {
        if let tag = call.entityTag { return tag }
        guard let path = call.matchedPath else { return nil }
        guard let tag = try await send(.get(path)).entityTag else { throw .shape() }
        return tag
    }

    /// Sends a request, and retries after a 429 or 503 with `Retry-After`, or after a lost connection.
    private func sendWithRetries(_ request: URLRequest) async throws(Failure) -> (Data, HTTPURLResponse) {
        var attempt = 0
        while true {
            attempt += 1
            let wait: Int
            switch await Self.exchange(request) {
            case .success(let (data, response)):
                guard attempt <= Self.retries, [429, 503].contains(response.statusCode),
                    let seconds = response.value(forHTTPHeaderField: "Retry-After").flatMap({ Int($0) }),
                    (0...Self.longestWait).contains(seconds)
                else { return (data, response) }
                wait = seconds
                Terminal.standardError.report("The server asks to wait \(wait) s. Retry \(attempt) of \(Self.retries) follows.")
            case .failure(let error):
                // A change whose response was lost must not run twice. The `Idempotency-Key` of a POST prevents this.
                guard attempt <= Self.retries, error.code == .networkConnectionLost, ["GET", "POST"].contains(request.httpMethod)
                else {
                    throw Failure(
                        status: .failure, detail: "\(baseURL.absoluteString) is unreachable: \(error.localizedDescription)",
                        nextStep: "Check the base URL, and check that Espalier is running.")
                }
                wait = attempt
                Terminal.standardError.report("The connection was lost. Retry \(attempt) of \(Self.retries) follows.")
            }
            try? await Task.sleep(for: .seconds(wait))
        }
    }

    /// Sends a request once, without a change. It does not follow redirects.
    static func exchange(_ request: URLRequest) async -> Result<(Data, HTTPURLResponse), URLError> {
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
