import Foundation

/// A request of the REST API before it is sent.
struct Call {
    enum Method: String {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// The effect of a destructive call, and the word that confirms it.
    struct Destruction {
        /// The predicate of a sentence, as in "This deletes …".
        var effect: String
        /// The tenant's slug, `platform`, or the ID of a person. Nil if only the tenant's ID is known.
        var word: String?
        /// Whether the server also requires the word, as `?confirm=`.
        var isSent: Bool
    }

    /// A file that is sent as it is.
    struct File {
        var name: String
        var mediaType: String
        var bytes: Data
    }

    var method: Method
    /// The path below `/v1`, without a leading slash. Its parts contain only characters that a URL allows.
    var path: String
    var query: [(name: String, value: String)] = []
    var body: JSON?
    /// A body that is a file and not JSON.
    var file: File?
    /// Members of the body that are never printed.
    var secretFields: Set<String> = []
    /// The path of the resource whose `ETag` the call sends as `If-Match`.
    var matchedPath: String?
    /// An `ETag` that the caller read earlier.
    var entityTag: String?
    var destruction: Destruction?
    /// The tenant for a person with several memberships, if the path has none.
    var tenant: String?

    static func get(_ path: String, _ query: KeyValuePairs<String, String?> = [:]) -> Call {
        Call(method: .get, path: path, query: query.compactMap { name, value in value.map { (name, $0) } })
    }

    static func post(_ path: String, _ members: [String: JSON?]? = nil, secret secretFields: Set<String> = []) -> Call {
        Call(method: .post, path: path, body: members.map(JSON.given), secretFields: secretFields)
    }

    static func put(_ path: String, _ members: [String: JSON?], secret secretFields: Set<String> = []) -> Call {
        Call(method: .put, path: path, body: .given(members), secretFields: secretFields)
    }

    static func patch(_ path: String, _ members: [String: JSON?], secret secretFields: Set<String> = []) -> Call {
        Call(method: .patch, path: path, body: .given(members), secretFields: secretFields)
    }

    static func put(_ path: String, file: File) -> Call {
        Call(method: .put, path: path, file: file)
    }

    static func delete(_ path: String) -> Call {
        Call(method: .delete, path: path)
    }

    /// Returns this call with the condition that the resource at `path` has not changed.
    /// - Parameter entityTag: the `ETag` that the caller read. By default, the client reads it just before the call.
    func ifUnchanged(_ path: String?, _ entityTag: String? = nil) -> Call {
        var call = self
        (call.matchedPath, call.entityTag) = (path, entityTag)
        return call
    }

    /// Returns this call with a confirmation: the caller must repeat a word.
    func destroying(_ effect: String, word: String?, isSent: Bool = false) -> Call {
        var call = self
        call.destruction = Destruction(effect: effect, word: word, isSent: isSent)
        return call
    }

    /// The body without its secrets.
    var shownBody: JSON? {
        if let file { return .string("(\(file.name), \(file.mediaType), \(file.bytes.count) bytes)") }
        guard case .object(var members) = body else { return body }
        for field in secretFields where members[field] != nil { members[field] = "(not shown)" }
        return .object(members)
    }

    /// The path and query below the base URL.
    var target: String {
        let fields = query.map { "\($0.name)=\($0.value.inQuery)" }
        return "v1/\(path)" + (fields.isEmpty ? "" : "?" + fields.joined(separator: "&"))
    }

    /// The output of `--dry-run --json`.
    var description: JSON {
        .given([
            "method": .string(method.rawValue),
            "path": .string("/\(target)"),
            "if_match": entityTag.map(JSON.string) ?? matchedPath.map { .string("(the ETag of /v1/\($0))") },
            "body": shownBody,
        ])
    }
}

extension String {
    /// The text, percent-encoded for a query. Only letters, digits and harmless characters stay. Some servers read a plus as a space.
    var inQuery: String {
        let harmless = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:")
        return addingPercentEncoding(withAllowedCharacters: harmless) ?? ""
    }
}
