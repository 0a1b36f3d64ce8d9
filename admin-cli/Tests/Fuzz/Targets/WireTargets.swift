import Foundation
import Fuzzing

@testable import espalierctl

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Fuzz targets for the responses of a server or of another program.
extension FuzzTarget {
    static let wire: [FuzzTarget] = [
        FuzzTarget(
            "cli-json",
            seeds: [
                #"{"a":[1,-2.5e3,true,false,null,"x\n\u00e9\ud83c\udf4e"],"b":{}}"#, "1e400", "-0", "9223372036854775808", #""\ud800""#,
                "0.1",
                "[[[[[[[[]]]]]]]]", #"{"":{".":1}}"#, "1.0", "-9223372036854775808", "1e18", "[11111111111111111.5555]",
            ]
        ) { bytes in
            guard let json = try? JSONDecoder().decode(JSON.self, from: Data(bytes)) else { return }
            let again = try? JSONDecoder().decode(JSON.self, from: json.encoded())
            try hold(again?.isSame(as: json) == true, "the JSON changes to \(again.map { "\($0)" } ?? "nothing") when it is parsed again")
            try hold(
                (try? JSONDecoder().decode(JSON.self, from: json.encoded(isPretty: true))) == again, "the pretty JSON differs")
            _ = (json.text, json.brief, json[""], json["a.b"], json["."])
            if case .object(let members) = json {
                for (name, member) in members where !name.isEmpty && !name.contains(".") && member != .null {
                    try hold(json[name] == member && json.without(name)[name] == nil, "the member \(name) is not found")
                }
            }
        },
        FuzzTarget(
            "cli-json-text",
            seeds: [
                #"{"a":[1,"]",{"b":2}],"\u0073ecret":"x,\"}","c":{}}"#, #"[ 1 , [2,3], "a,b\\" ,null]"#, "{}", "[]", #"{"":""}"#,
                "[\"\u{600},\u{301}\",\"\u{200D}]\u{200D}\"]", "{\"\u{600}\":1,\"\u{301}\":\"\u{301}\",\"\u{200D}\":2}",
            ]
        ) { bytes in
            // The decoder also reads UTF-16, which the server never sends.
            guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self),
                let json = try? JSONDecoder().decode(JSON.self, from: Data(bytes))
            else { return }
            switch json {
            case .array(let elements):
                let parts = JSONText.parts(of: text).map { try? JSONDecoder().decode(JSON.self, from: Data($0.utf8)) }
                try hold(parts == elements, "the parts of a list differ")
            case .object(let members):
                let parts = JSONText.parts(of: text)
                // The decoder drops one of two members with the same name.
                try hold(parts.count >= members.count, "a member is missing")
                for name in members.keys {
                    let rest = JSONText.removing(name, from: text)
                    guard case .object(let others)? = try? JSONDecoder().decode(JSON.self, from: Data(rest.utf8))
                    else { return try hold(false, "the text without \(name) is not an object") }
                    try hold(others.keys.allSatisfy { $0 != name }, "\(name) is still there")
                    try hold(parts.count != members.count || others.count == members.count - 1, "another member than \(name) was removed")
                }
            default: break
            }
        },
        FuzzTarget(
            "cli-events",
            seeds: [
                "id: 1\nevent: a\ndata: {}\n\n", ":\r\rdata\r\n\r\n", "data: \u{600}\ndata\u{301}: x\n\n", "id: a b\ndata: 1\n\n", "",
                "\n\n\n",
            ]
        ) { bytes in
            var (whole, pieces) = (ServerSentEvents(), ServerSentEvents())
            guard let events = try? whole.read(bytes) else { return }
            var parts: [ServerSentEvents.Event] = []
            for byte in bytes { parts += try pieces.read([byte]) }
            try hold(parts == events && pieces.lastID == whole.lastID, "the events depend on the pieces")
            for id in [whole.lastID] + events.map(\.id) {
                try hold(id?.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ?? true, "an ID cannot be in a header")
            }
        },
        FuzzTarget(
            "cli-callback",
            seeds: [
                "GET /callback?code=a&state=b&iss=https%3A%2F%2Fid.test HTTP/1.1\r\nHost: 127.0.0.1:1", "GET / HTTP/1.1",
                "POST /callback HTTP/1.1",
                "GET /callback?a=1&a=2 HTTP/1.1", "GET /callback?%=%zz&&=&+ HTTP/1.0\r\nhost:x\r\nHOST: y", "GET /\u{600}?\u{301} HTTP/1.1",
                "",
                "GET /callback?state=s&code=c HTTP/1.1\nHost: 127.0.0.1:1",
            ]
        ) { bytes in
            let request = CallbackRequest(head: Array(bytes))
            if let request {
                try hold(request.path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "the path has other bytes")
                try hold(request.query.count <= bytes.count, "the query has too many fields")
            }
            let outcome = CallbackOutcome(request, port: 1, state: "s", issuer: "https://id.test")
            if case .code(let code) = outcome {
                try hold(request?.query["code"] == code && request?.query["state"] == "s", "a code passed without the state")
                try hold(request?.query["iss"] == "https://id.test" && request?.host == "127.0.0.1:1", "a code passed from elsewhere")
            }
            try hold(!outcome.page.text.contains("<"), "the page has markup")
        },
        // The first 3 bytes are the status. The rest is the body.
        FuzzTarget(
            "cli-problem", upTo: 1024,
            seeds: [
                #"403{"title":"Forbidden","status":403,"detail":"No.","code":"insufficient_scope","request_id":"req_1"}"#,
                #"400{"title":"Invalid","detail":"Too long.","code":"invalid","errors":[{"field":"name","detail":"Too long."}]}"#,
                #"500{"detail":1,"errors":{}}"#, "404<html>", "302", #"409{"errors":[{"field":"\u001b[2J","detail":""}]}"#, "429{}", "abc",
            ]
        ) { bytes in
            let status = Int(String(decoding: bytes.prefix(3), as: UTF8.self)) ?? 500
            guard (100...999).contains(status), let url = URL(string: "https://id.test"),
                let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: ["Retry-After": "7"])
            else { return }
            let failure = Problem(Data(bytes.dropFirst(3)), response).failure
            try hold(!failure.detail.isEmpty || bytes.count > 3, "the detail is empty")
            try hold(failure.nextStep.hasSuffix("."), "\(failure.nextStep) is not a sentence")
            try hold(failure.status == (status == 401 ? .unauthenticated : .failure), "the exit status is \(failure.status)")
            try hold(failure.problem?.status == status, "the status of the problem differs")
        },
        // No control character of a printed response reaches the terminal.
        FuzzTarget(
            "cli-view", upTo: 1024,
            seeds: [
                #"{"name":"Acme","check":{"outcome":"passed"},"steps":[{"name":"a","count":1},{"name":"\u001b]0;x\u0007","count":-1}]}"#,
                #"{"name":"a\nb\r\u0085\u009b","check":{"outcome":[1,[2],{"a":null}]}}"#, #"{"name":"","check":{"outcome":""},"steps":{}}"#,
                #"{"name":"e\u0301\u200d\u202e"}"#, #"{"name":"a\n\u0600\u009b","check":{"outcome":1}}"#, "[]",
                #"{"name":"x","check":{"outcome":"y"},"steps":{"name":1,"count":2}}"#,
            ]
        ) { bytes in
            guard let json = try? JSONDecoder().decode(JSON.self, from: Data(bytes)) else { return }
            let view = View(
                .init("Name", "name"), .init("Check", "check.outcome"),
                sections: [.init(title: "Steps", path: "steps", view: View(.init("Name", "name"), .init("Count", "count").number))])
            let lists = [json["steps"]?.elements, json.elements].compactMap(\.self)
            let texts = [try? view.details(of: json)] + lists.map { try? view.sections[0].view.table(of: $0) }
            for text in texts.compactMap(\.self) {
                let hasControl = text.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" }
                try hold(!hasControl, "\(text.debugDescription) reaches the terminal")
                try hold(!text.contains(" \n"), "a line ends with a space")
            }
            for (list, text) in zip(lists, texts.dropFirst()) {
                try hold(text.map { $0.utf8.count { $0 == 0x0A } == list.count + 1 } ?? true, "an element is not exactly one line")
            }
        },
    ]
}

extension JSON {
    /// Whether two values are equal. A whole number may also be written with a fraction.
    fileprivate func isSame(as other: JSON) -> Bool {
        switch (self, other) {
        case (.integer(let a), .number(let b)), (.number(let b), .integer(let a)): Double(a) == b
        case (.array(let a), .array(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
        case (.object(let a), .object(let b)): a.count == b.count && a.allSatisfy { name, value in b[name]?.isSame(as: value) == true }
        default: self == other
        }
    }
}
