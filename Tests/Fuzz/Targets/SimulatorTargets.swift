import Access
@testable import AppleSimulator
import Foundation
import Fuzzing
import HTTPTypes

extension FuzzTarget {
    static let simulator: [FuzzTarget] = [
        FuzzTarget("simulator-json", seeds: [#"{"a":[1,2.5,true,null,"x"]}"#, "1e300", "[[[]]]"]) { bytes in
            guard let value = try? JSONValue(parsing: bytes) else { return }
            try hold(try JSONValue(parsing: Array(value.text.utf8)).text == value.text, "the written value reads back differently")
        },
        FuzzTarget(
            "registry",
            seeds: [
                #"{"teams":[{"id":"A1B2C3D4E5","services_ids":[{"id":"com.example.web","display_name":"E","return_urls":["https://a.b/c"]}]}]}"#,
                #"{"people":[{"name":"Ada Lovelace","email":null,"boolean_style":"strings"},{"name":"É"}]}"#, #"{"teams":[{"id":"x"}]}"#,
            ]
        ) { bytes in
            guard let registry = try? Registry(json: Data(bytes)) else { return }
            let again = try Registry(json: Data(registry.json.text.utf8))
            try hold(again.json == registry.json, "the written registry reads back differently")
        },
        FuzzTarget(
            "simulator-fault",
            seeds: [
                #"{"endpoint":"token","fault":"status","status":503,"retry_after":60,"times":2,"client_id":"com.example.web"}"#,
                #"{"endpoint":"usermigrationinfo","fault":"error","error":"invalid_request"}"#,
                #"{"endpoint":"token","fault":"clock","seconds":-86400}"#, #"{"endpoint":"keys","fault":"claim"}"#,
            ]
        ) { bytes in
            guard let body = try? JSONValue(parsing: bytes), let fault = try? FaultRequest(body) else { return }
            try hold(fault.times.map { (1...1_000_000).contains($0) } ?? true, "it occurs \(fault.times ?? 0) times")
            if case .status(let status, let seconds) = fault.effect {
                try hold((400...599).contains(status) && (0...3600).contains(seconds ?? 0), "a status of \(status) passed")
            }
        },
        FuzzTarget(
            text: "return-url",
            seeds: ["https://login.test/t/acme/auth/apple/callback", "http://localhost:8080/", "https://1.2.3.4/", "x:"]
        ) { text in
            guard ReturnURL.refusal(of: text, allowsLoopback: false) == nil else { return }
            try hold(URL(string: text)?.scheme == "https" && !text.contains("#"), "\(text) can be registered")
        },
        FuzzTarget(
            text: "simulator-authorize-request", upTo: 1024,
            seeds: [
                asking, asking + "&scope=name+email&response_mode=form_post&state=s&nonce=n", asking + "&response_mode=fragment",
                asking.replacing("=code", with: "=code+id_token"), asking + "&scope=name", asking + "&scope=openid",
                asking.replacing("/cb", with: "/\u{212A}b"), asking.replacing("example.web", with: "example.app"), "client_id=x",
            ]
        ) { text in
            guard let form = try? Form(text), let asked = try? AuthorizeRequest(form, in: registry, allowsLoopback: false) else { return }
            try hold(form["redirect_uri"]?.isExactly(returnURL) == true, "it is sent to \(asked.redirectURI)")
            try hold(form["client_id"]?.isExactly("com.example.web") == true, "it is for \(asked.client.id)")
            try hold(asked.scopes.isEmpty || asked.responseMode == .formPost, "a scope is accepted without form_post")
            try hold(!asked.wantsIDToken || asked.responseMode != .query, "an id_token is accepted with query")
            let words = Set((form["response_type"] ?? "").split(separator: " "))
            try hold(words == (asked.wantsIDToken ? ["code", "id_token"] : ["code"]), "another response is given")
        },
        FuzzTarget(
            text: "simulator-client-secret", upTo: 1024,
            seeds: [
                secret(
                    #"{"iss":"A1B2C3D4E5","iat":1795000000,"exp":1795003600,"aud":"https://appleid.apple.com","sub":"com.example.web"}"#),
                secret(#"{"iat":1795000000,"exp":9223372036854775807}"#), secret(#"{"iat":-9223372036854775808,"exp":1795003600}"#),
                secret(#"{"iat":1795000000.5,"exp":1e300}"#), secret("[]"), secret("{}") + "=", secret("{}") + " ", "..", "",
            ]
        ) { text in
            guard let (_, claims, _) = try? ClientSecret.parse(text) else { return }
            try hold(text.isOneWord && text.utf8.count { $0 == UInt8(ascii: ".") } == 2, "it does not have three parts")
            let now = 1_795_000_000
            guard (try? ClientSecret.checkTimes(claims, at: now)) != nil else { return }
            guard case .integer(let from)? = claims["iat"], case .integer(let to)? = claims["exp"] else {
                return try hold(false, "it has no times")
            }
            try hold(0 <= from && from <= now + 5 && now < to && to - from <= ClientSecret.longestLifetime, "\(from) to \(to) passed")
        },
        FuzzTarget(
            text: "simulator-person",
            seeds: [
                "Ada Lovelace", " Ada  King\tLovelace ", "ada-lovelace", "É", "new", "cancel", "\u{0}", "\u{2003}", "İ", "a\u{301} \u{301}",
            ]
        ) { text in
            let id = Person.id(of: text)
            try hold(Person.id(of: id) == id, "\(id) is the ID of another person")
            try hold(!id.contains(where: \.isWhitespace), "\(id) is not an ID")
            let person = Person(named: text)
            let again = Person.split(person.fullName)
            try hold(!person.givenName.contains(where: \.isWhitespace), "\(person.givenName) is one word")
            try hold(Person(named: person.fullName).id == person.id, "\(person.fullName) is another person")
            try hold(again.given == person.givenName, "\(person.fullName) has another name")
            guard HTTPField.isValidValue(text) else { return }
            var headers = HTTPFields()
            headers[.simulatorPerson] = text
            switch try? Decision(headers) {
            case nil: try hold(id.isEmpty || text.count > 200, "\(text) cannot sign in")
            case .cancel?: try hold(text.trimmingCharacters(in: .whitespaces) == "cancel", "\(text) cancels")
            case .sign(.new, _)?: try hold(text.trimmingCharacters(in: .whitespaces) == "new", "\(text) is a new person")
            case .sign(.known(let name), _)?: try hold(!Person.id(of: name).isEmpty, "\(name) is not a person")
            }
        },
    ]

    private static let returnURL = "https://login.test/cb?x=K"
    private static let asking = "client_id=com.example.web&redirect_uri=https%3A%2F%2Flogin.test/cb%3Fx=K&response_type=code"
    private static let registry: Registry = {
        let json = """
            {"teams":[{"id":"A1B2C3D4E5","bundle_ids":["com.example.app"],\
            "services_ids":[{"id":"com.example.web","display_name":"E","return_urls":["\(returnURL)"]}]}]}
            """
        return (try? Registry(json: Data(json.utf8))) ?? Registry()
    }()

    private static func secret(_ claims: String) -> String {
        let parts = [#"{"alg":"ES256","kid":"K1B2C3D4E5"}"#, claims].map {
            Data($0.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        return parts.joined(separator: ".") + "." + String(repeating: "A", count: 86)
    }
}

/// Returns the simulator's reading of a form; nil if it rejects the form.
func simulatedForm(_ text: String) -> [String: String]? {
    guard let form = try? Form(text) else { return nil }
    return Dictionary(form.fields.map { ($0.name, $0.value) }) { first, _ in first }
}
