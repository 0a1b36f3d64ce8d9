import Foundation

/// One call of the REST API, before it is sent.
struct Call {
    enum Method: String {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// What is gone after a call, and the word that a person must repeat for it.
    struct Destruction {
        /// As in "This deletes …".
        var deed: String
        /// The tenant's slug, or `platform`; nil where we only know the tenant's id.
        var word: String?
        /// Whether the server wants the word, too, as `?confirm=`.
        var isSent: Bool
    }

    var method: Method
    /// Below `/v1`, without a leading slash, of parts that are fit for a URL.
    var path: String
    var query: [(name: String, value: String)] = []
    var body: JSON?
    /// Members of the body that nobody is shown.
    var secretFields: Set<String> = []
    /// The resource whose `ETag` has to be sent as `If-Match`.
    var guardian: String?
    /// An `ETag` that the caller has from an earlier look.
    var entityTag: String?
    var destruction: Destruction?

    static func get(_ path: String, _ query: KeyValuePairs<String, String?> = [:]) -> Call {
        Call(method: .get, path: path, query: query.compactMap { name, value in value.map { (name, $0) } })
    }

    static func post(_ path: String, _ members: [String: JSON?]? = nil, secret secretFields: Set<String> = []) -> Call {
        Call(method: .post, path: path, body: members.map(JSON.given), secretFields: secretFields)
    }

    static func put(_ path: String, _ members: [String: JSON?]) -> Call {
        Call(method: .put, path: path, body: .given(members))
    }

    static func patch(_ path: String, _ members: [String: JSON?], secret secretFields: Set<String> = []) -> Call {
        Call(method: .patch, path: path, body: .given(members), secretFields: secretFields)
    }

    static func delete(_ path: String) -> Call {
        Call(method: .delete, path: path)
    }

    /// The same, on condition that the resource at `path` is as we last saw it.
    /// - Parameter entityTag: what the caller saw; otherwise it is looked up just before.
    func ifUnchanged(_ path: String?, _ entityTag: String? = nil) -> Call {
        var call = self
        (call.guardian, call.entityTag) = (path, entityTag)
        return call
    }

    /// The same, for which the caller has to repeat a word.
    func destroying(_ deed: String, word: String?, isSent: Bool = false) -> Call {
        var call = self
        call.destruction = Destruction(deed: deed, word: word, isSent: isSent)
        return call
    }

    /// The body without its secrets.
    var shownBody: JSON? {
        guard case .object(var members) = body else { return body }
        for field in secretFields where members[field] != nil { members[field] = "(not shown)" }
        return .object(members)
    }

    /// The path and query below the base URL.
    var target: String {
        let fields = query.map { "\($0.name)=\($0.value.inQuery)" }
        return "v1/\(path)" + (fields.isEmpty ? "" : "?" + fields.joined(separator: "&"))
    }

    /// What `--dry-run` says of it.
    var description: JSON {
        .given([
            "method": .string(method.rawValue),
            "path": .string("/\(target)"),
            "if_match": entityTag.map(JSON.string) ?? guardian.map { .string("(the ETag of /v1/\($0))") },
            "body": shownBody,
        ])
    }
}

extension String {
    /// Fit for a query: everything but letters, digits and what can mean nothing else there. A plus is a blank to some.
    var inQuery: String {
        let harmless = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:")
        return addingPercentEncoding(withAllowedCharacters: harmless) ?? ""
    }
}
