import Encoding
import Testing

@Suite("Compact JWS")
struct CompactJWSTests {
    private static let header = #"{"alg":"ES256","kid":"k","typ":"JWT"}"#

    private static func text(_ header: String, payload: String = "{}", signature: String = "AAAA") -> String {
        "\(Array(header.utf8).base64URL).\(Array(payload.utf8).base64URL).\(signature)"
    }

    @Test("the three parts are read")
    func parts() throws {
        let text = Self.text(Self.header, payload: #"{"sub":"s"}"#, signature: "AQID")
        let jws = try #require(CompactJWS(text, upTo: text.utf8.count))
        #expect(jws.algorithm == "ES256" && jws.keyID == "k" && jws.type == "JWT")
        #expect(jws.signature == [1, 2, 3])
        #expect(String(decoding: jws.signed, as: UTF8.self) + ".AQID" == text)
        #expect(jws.payload == Array(#"{"sub":"s"}"#.utf8))
        #expect(CompactJWS(text, upTo: text.utf8.count - 1) == nil)
    }

    @Test("kid and typ may be absent, and other members are ignored")
    func optional() throws {
        let jws = try #require(CompactJWS(Self.text(#"{"alg":"none","kid":null,"x":[1]}"#, signature: ""), upTo: 900))
        #expect(jws.algorithm == "none" && jws.keyID == nil && jws.type == nil && jws.signature.isEmpty)
    }

    @Test(
        "a header that is not a JSON object with alg is rejected",
        arguments: [
            "", "{}", "[]", #""ES256""#, #"{"alg":null}"#, #"{"alg":5}"#, #"{"alg":["ES256"]}"#, #"{"alg":"ES256","kid":1}"#,
            #"{"alg":"ES256","typ":{}}"#, #"{"alg":"ES256"} x"#, "{\"alg\":\"ES256\",}",
        ])
    func invalid(header: String) {
        #expect(CompactJWS(Self.text(header), upTo: 900) == nil)
    }

    /// RFC 7515, section 4.1.11: an unsupported critical header must be rejected.
    @Test("a header with crit is rejected", arguments: [#"["exp"]"#, "[]", "null", "1"])
    func critical(_ value: String) {
        #expect(CompactJWS(Self.text(#"{"alg":"ES256","crit":\#(value)}"#), upTo: 900) == nil)
    }

    @Test("a repeated member of the header is rejected, even in another spelling")
    func repeated() {
        #expect(CompactJWS(Self.text(#"{"alg":"none","alg":"ES256"}"#), upTo: 900) == nil)
        #expect(CompactJWS(Self.text(#"{"alg":"none","\u0061lg":"ES256"}"#), upTo: 900) == nil)
    }

    @Test("a text without three parts in base64url is rejected")
    func malformed() {
        let text = Self.text(Self.header)
        for other in [
            "", ".", "..", "...", "a.b", text + ".", text + ".AAAA", "." + text, text + "=", text + " ", text + "\n",
            String(text.dropLast()) + "B=",
            text.replacing(".", with: ":"), String(text.dropLast(5)),
        ] {
            #expect(CompactJWS(other, upTo: 900) == nil, "\(other)")
        }
        // The payload is read only after the signature is verified.
        #expect(CompactJWS(text.replacing(".e30.", with: ".e30=."), upTo: 900)?.payload == nil)
    }

    @Test("a character that joins with a dot hides no part", arguments: joining)
    func separators(_ joining: String) throws {
        let text = Self.text(Self.header)
        for hostile in [
            text + joining, joining + text, text.replacing(".e", with: "\(joining).e"), text.replacing(".A", with: ".\(joining)A"),
            text + "\(joining).AAAA", text + ".\(joining)",
        ] {
            #expect(CompactJWS(hostile, upTo: 900) == nil, "\(hostile.debugDescription)")
        }
        // In the payload, it is not base64url either.
        let inPayload = text.replacing(".e30", with: ".e30\(joining)")
        #expect(CompactJWS(inPayload, upTo: 900)?.payload == nil)
        // Inside of the header's JSON it is text.
        let jws = try #require(CompactJWS(Self.text(#"{"alg":"ES256\#(joining)","kid":"\#(joining)"}"#), upTo: 900))
        #expect(jws.algorithm.isSame(as: "ES256\(joining)") && jws.keyID?.isSame(as: joining) == true)
    }
}
