import Foundation

@testable import AppleSimulator

extension FuzzTarget {
    static let simulator: [FuzzTarget] = [
        FuzzTarget("simulator-json", seeds: [#"{"a":[1,2.5,true,null,"x"]}"#, "1e300", "[[[]]]"]) { bytes in
            guard let value = try? JSONValue(parsing: bytes) else { return }
            try hold(try JSONValue(parsing: Array(value.text.utf8)).text == value.text, "written and read it is another value")
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
            try hold(again.json == registry.json, "written and read it is another registry")
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
            try hold(fault.times.map { (1...1_000_000).contains($0) } ?? true, "it comes \(fault.times ?? 0) times")
            if case .status(let status, let seconds) = fault.effect {
                try hold((400...599).contains(status) && (0...3600).contains(seconds ?? 0), "a status of \(status) passed")
            }
        },
        FuzzTarget(
            text: "return-url",
            seeds: ["https://login.test/t/acme/auth/apple/callback", "http://localhost:8080/", "https://1.2.3.4/", "x:"]
        ) { text in
            guard ReturnURL.refusal(of: text, allowsLoopback: false) == nil else { return }
            try hold(URL(string: text)?.scheme == "https" && !text.contains("#"), "\(text) may be registered")
        },
    ]
}

/// What the simulator reads in a form; nil when it refuses it.
func simulatedForm(_ text: String) -> [String: String]? {
    guard let form = try? Form(text) else { return nil }
    return Dictionary(form.fields.map { ($0.name, $0.value) }) { first, _ in first }
}
