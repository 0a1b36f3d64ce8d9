@testable import Passkeys
import TestSupport
import Testing

@Suite("Client data")
struct ClientDataTests {
    private static func read(_ text: String) -> ClientData? { ClientData(Array(text.utf8)) }

    private static let good = #"{"type":"webauthn.get","challenge":"AAEC","origin":"https://login.test","crossOrigin":false}"#

    @Test("the members are read in any order, and others have no meaning")
    func members() throws {
        let data = try #require(Self.read(Self.good))
        #expect(data.type == "webauthn.get" && data.challenge == "AAEC" && data.origin == "https://login.test")
        #expect(!data.isCrossOrigin && data.topOrigin == nil)
        let other = try #require(
            Self.read(
                #"{"other_keys_can_be_added_here":"…","topOrigin":"https://a.test","crossOrigin":true,"origin":"o","#
                    + #""tokenBinding":{"status":"supported"},"challenge":"c","type":"t"}"#))
        #expect(
            other.type == "t" && other.challenge == "c" && other.origin == "o" && other.isCrossOrigin && other.topOrigin == "https://a.test"
        )
        // Older browsers do not send it.
        #expect(Self.read(#"{"type":"t","challenge":"c","origin":"o"}"#)?.isCrossOrigin == false)
    }

    @Test(
        "everything else is refused",
        arguments: [
            "", " ", "{}", "[]", "null", "\"webauthn.get\"", "{", #"{"type":"t","challenge":"c"}"#, #"{"type":"t","origin":"o"}"#,
            #"{"challenge":"c","origin":"o"}"#, #"{"type":1,"challenge":"c","origin":"o"}"#, #"{"type":"t","challenge":null,"origin":"o"}"#,
            #"{"type":"t","challenge":"c","origin":["o"]}"#, #"{"type":"t","challenge":"c","origin":"o","crossOrigin":"false"}"#,
            #"{"type":"t","challenge":"c","origin":"o","crossOrigin":null}"#, #"{"type":"t","challenge":"c","origin":"o","crossOrigin":0}"#,
            #"{"type":"t","challenge":"c","origin":"o","topOrigin":null}"#, #"{"type":"t","challenge":"c","origin":"o","topOrigin":1}"#,
            // Two readers would see two values.
            #"{"type":"t","challenge":"c","origin":"o","origin":"p"}"#, #"{"type":"t","challenge":"c","origin":"o","\u006frigin":"p"}"#,
            #"{"Type":"t","challenge":"c","origin":"o"}"#, #"{"type":"t","challenge":"c","origin":"o"} {}"#,
            #"{'type':'t','challenge':'c','origin':'o'}"#, #"{"type":"t","challenge":"c","origin":"o",}"#,
            "\u{FEFF}" + #"{"type":"t","challenge":"c","origin":"o"}"#, #"{"type":"t","challenge":"c","origin":"o"}"# + "\0",
        ])
    func refused(_ text: String) {
        #expect(Self.read(text) == nil)
    }

    @Test("bytes that are not UTF-8, and long texts, are refused")
    func bytes() {
        #expect(ClientData(Array(Self.good.utf8) + [0xFF]) == nil)
        #expect(
            ClientData(Array(#"{"type":"t","challenge":"c","origin":"o","x":""#.utf8) + [0xED, 0xA0, 0x80] + Array(#""}"#.utf8)) == nil)
        func padded(_ length: Int) -> ClientData? { Self.read(Self.good + String(repeating: " ", count: length - Self.good.utf8.count)) }
        #expect(padded(4096) != nil && padded(4097) == nil)
        #expect(Self.read(String(repeating: "[", count: 4096)) == nil)
    }

    @Test("a character that joins with its neighbor hides no quote and no colon", arguments: ["\u{600}", "\u{301}", "\u{200D}"])
    func joining(_ joining: String) throws {
        // In a value, it stays a part of the value.
        let data = try #require(
            Self.read("{\"type\":\"webauthn.get\(joining)\",\"challenge\":\"\(joining)\",\"origin\":\"\(joining)o\",\"a\(joining)\":1}"))
        #expect(data.type.utf8.elementsEqual("webauthn.get\(joining)".utf8) && data.challenge.utf8.elementsEqual(joining.utf8))
        #expect(data.origin.utf8.elementsEqual("\(joining)o".utf8))
        // In a name, it makes another name.
        for name in ["type", "challenge", "origin"] {
            for changed in ["\(name)\(joining)", "\(joining)\(name)"] {
                #expect(Self.read(Self.good.replacing("\"\(name)\"", with: "\"\(changed)\"")) == nil, "\(changed.debugDescription)")
            }
        }
        // Between the values, it is not JSON.
        for place in ["{", ",", ":", "}"] {
            #expect(Self.read(Self.good.replacing(place, with: "\(place)\(joining)")) == nil, "\(place)")
            #expect(Self.read(Self.good.replacing(place, with: "\(joining)\(place)")) == nil, "\(place)")
        }
    }
}
