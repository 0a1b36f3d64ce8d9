import Foundation
import TestSupport
import Testing

@testable import Branding

/// Logos that are SVGs, and files that attack who opens them.
@Suite("SVG image")
struct SVGImageTests {
    private static func written(_ svg: String) throws -> String {
        String(decoding: try SVGImage(Array(svg.utf8)).bytes, as: UTF8.self)
    }

    private static func svg(_ content: String) -> String { Pictures.svg(content) }

    @Test("shapes, groups, gradients, clip paths, masks and uses do not change")
    func keeps() throws {
        let picture = Self.svg(
            """
            <title>Acme &amp; Co.</title><defs><linearGradient id="a" x1="0" x2="1" gradientUnits="userSpaceOnUse" \
            gradientTransform="rotate(45 12 12)"><stop offset="0%" stop-color="#fff"/><stop offset="1" stop-color="rgb(1, 2, 3)" \
            stop-opacity=".5"/></linearGradient><radialGradient id="b" href="#a" fx="50%"/><clipPath id="c"><rect width="24" \
            height="24" rx="2"/></clipPath><mask id="d" maskUnits="userSpaceOnUse" style="mask-type:luminance"><circle cx="12" cy="12" \
            r="1e1"/></mask><symbol id="e" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></symbol></defs><g clip-path="url(#c)" \
            transform="translate(1,-2) scale(.5)"><use href="#e" x="1" width="5"/><ellipse rx="1" ry="2" fill="url(#a) red"/><line x1="1" \
            stroke="currentColor" stroke-dasharray="1 2,3"/><polyline points="0,0 1,1 -2,.5" fill="none"/><polygon \
            points="0 0 1 1" style="fill:url(#b);fill-rule:evenodd" mask="url(#d)"/></g>
            """)
        #expect(try Self.written(picture) == picture)
        // The written picture is accepted again, with the same result.
        #expect(try Self.written(Self.written(picture)) == picture)
    }

    @Test("data of editors is dropped")
    func drops() throws {
        let picture = """
            \u{FEFF}<?xml version="1.0" encoding="UTF-8" standalone="no"?>
            <!-- Created with <Inkscape> -->
            <svg xmlns="http://www.w3.org/2000/svg" xmlns:svg="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
                xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
                version="1.1" id="Layer 1" data-name="x" class="logo" viewBox='0 0 24 24' xml:space="preserve" sodipodi:docname="/home/ada/a.svg"
                style="enable-background:new 0 0 24 24;-inkscape-stroke:none; FILL : #FFF ">
              <metadata id="m"><rdf:RDF><script>alert(1)</script></rdf:RDF></metadata>
              <sodipodi:namedview><g onload="alert(1)"/></sodipodi:namedview>
              <path d="M0 0
                h1" aria-hidden="true"/>
              <use xlink:href="#x"/>
            </svg>
            <!-- end -->
            """
        #expect(
            try Self.written(picture) == """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" style="fill:#FFF"><path d="M0 0     h1"/><use href="#x"/></svg>
                """)
    }

    @Test(
        "href without a prefix wins in any order, also for the number of references",
        arguments: [##"x:href="#loop" href="#a""##, ##"href="#a" x:href="#loop""##])
    func links(_ links: String) throws {
        let use = #"<use xmlns:x="http://www.w3.org/1999/xlink" \#(links)/>"#
        let picture = Self.svg("<path id=\"a\"/><g id=\"loop\">\(use)</g>")
        #expect(try Self.written(picture) == Self.svg("<path id=\"a\"/><g id=\"loop\"><use href=\"#a\"/></g>"))
    }

    @Test(
        "a size in pixels becomes a viewBox",
        arguments: [("width=\"24\" height=\"12px\"", "0 0 24 12"), ("width='1.5' height='2e1'", "0 0 1.5 2e1")])
    func sizes(_ root: String, _ box: String) throws {
        #expect(try Self.written(Pictures.svg("", root: root)).contains("viewBox=\"\(box)\""))
    }

    private static let hostile: [(String, names: String)] = [
        (svg("<script>alert(1)</script>"), "<script>"),
        (svg("<script href=\"https://evil.test/x.js\"/>"), "<script>"),
        (svg("<SCRIPT>alert(1)</SCRIPT>"), "<SCRIPT>"),
        (svg("<g onload=\"alert(1)\"/>"), "onload"),
        (svg("<path d=\"M0 0\" onclick='alert(1)'/>"), "onclick"),
        (Pictures.svg("", root: "viewBox=\"0 0 1 1\" onload=\"alert(1)\""), "onload"),
        (svg("<foreignObject><body xmlns=\"http://www.w3.org/1999/xhtml\"/></foreignObject>"), "<foreignObject>"),
        (svg("<image href=\"https://evil.test/a.png\"/>"), "<image>"),
        (svg("<image href=\"data:image/svg+xml;base64,PHN2Zz4=\"/>"), "<image>"),
        (svg("<style>@import url(https://evil.test/a.css);</style>"), "<style>"),
        (svg("<a href=\"javascript:alert(1)\"><path/></a>"), "<a>"),
        (svg("<animate attributeName=\"href\" to=\"javascript:alert(1)\"/>"), "<animate>"),
        (svg("<set attributeName=\"onload\" to=\"alert(1)\"/>"), "<set>"),
        (svg("<animateTransform attributeName=\"transform\"/>"), "<animateTransform>"),
        (svg("<handler xmlns:ev=\"http://www.w3.org/2001/xml-events\" ev:event=\"load\">alert(1)</handler>"), "<handler>"),
        (svg("<text>Acme</text>"), "<text>"),
        (svg("<filter id=\"f\"><feImage href=\"https://evil.test/\"/></filter>"), "<filter>"),
        (svg("<pattern id=\"p\"/>"), "<pattern>"),
        (svg("<marker id=\"m\"/>"), "<marker>"),
        (svg("<iframe src=\"https://evil.test/\"/>"), "<iframe>"),
        (svg("<video src=\"https://evil.test/\"/>"), "<video>"),
        (svg("<switch/>"), "<switch>"),
        (svg("<use href=\"https://evil.test/a.svg#b\"/>"), "href"),
        (svg("<use href=\"data:image/svg+xml,x#b\"/>"), "href"),
        (svg("<use href=\"a.svg#b\"/>"), "href"),
        (svg("<use href=\"&#106;avascript:alert(1)\"/>"), "href"),
        (svg("<use href=\"#a b\"/>"), "href"),
        (svg("<use xmlns:x=\"http://www.w3.org/1999/xlink\" x:href=\"https://evil.test/\"/>"), "href"),
        (svg("<path href=\"#a\"/>"), "href"),
        (svg("<path src=\"https://evil.test/\"/>"), "src"),
        (svg("<g xml:base=\"https://evil.test/\"><use href=\"#a\"/></g>"), "xml:base"),
        (svg("<g xmlns:x=\"http://www.w3.org/1999/xlink\" x:show=\"embed\"/>"), "x:show"),
        (svg("<path fill=\"url(https://evil.test/#a)\"/>"), "fill"),
        (svg("<path fill=\"url(//evil.test/#a)\"/>"), "fill"),
        (svg("<path fill=\"url('https://evil.test/a.svg#a')\"/>"), "fill"),
        (svg("<path fill=\"URL(a.svg#a)\"/>"), "fill"),
        // The quotes within are a part of the name of another file.
        (svg("<path fill=\"url(&quot;'#a'&quot;)\"/>"), "fill"),
        (svg("<path fill='url(&apos;\"#a\"&apos;)'/>"), "fill"),
        (svg("<path style=\"fill:url(&quot;'#a'&quot;)\"/>"), "style"),
        (svg("<path fill=\"u\\72l(//evil.test)\"/>"), "fill"),
        (svg("<path fill=\"/**/url(//evil.test)\"/>"), "fill"),
        (svg("<path mask=\"url(#a) url(//evil.test)\"/>"), "mask"),
        (svg("<path clip-path=\"path('M0 0')\"/>"), "clip-path"),
        (svg("<path fill=\"image-set('//evil.test')\"/>"), "fill"),
        (svg("<path fill=\"var(--x)\"/>"), "fill"),
        (svg("<path style=\"fill:url(https://evil.test/)\"/>"), "style"),
        (svg("<path style=\"background:url(//evil.test)\"/>"), "style"),
        (svg("<path style=\"background-image:none\"/>"), "style"),
        (svg("<path style=\"fill:red;behavior:url(#x)\"/>"), "style"),
        (svg("<path style=\"-moz-binding:url(#x)\"/>"), "style"),
        (svg("<path style=\"fill:expression(alert)\"/>"), "style"),
        (svg("<path style=\"fill:red;--x:url(//evil.test)\"/>"), "style"),
        (svg("<path style=\"fill:r\\65 d\"/>"), "style"),
        (svg("<path style=\"fill:red}*{background:red\"/>"), "style"),
        (svg("<path style=\"fill:red;/*\"/>"), "style"),
        (svg("<path style=\"@import 'x'\"/>"), "style"),
        (svg("<path filter=\"blur(100px)\"/>"), "filter"),
        (svg("<path font-family=\"x\"/>"), "font-family"),
        (svg("<path unknown=\"1\"/>"), "unknown"),
        (svg("<path d=\"M0 0\" tabindex=\"0\"/>"), "tabindex"),
        (svg("<g>hello</g>"), "<g>"),
        (svg("<title><script>alert(1)</script></title>"), "<script>"),
        (svg("<title><g/></title>"), "<title>"),
        (svg("<h:script xmlns:h=\"http://www.w3.org/1999/xhtml\">alert(1)</h:script>"), "h:script"),
        (svg("<s:script xmlns:s=\"http://www.w3.org/2000/svg\">alert(1)</s:script>"), "s:script"),
        (svg("<g xmlns=\"http://www.w3.org/1999/xhtml\"/>"), "xmlns"),
        (svg("<g xmlns=\"\"/>"), "xmlns"),
        (svg("<m:math xmlns:m=\"http://www.w3.org/1998/Math/MathML\"/>"), "m:math"),
        ("<!DOCTYPE svg><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\"/>", "DOCTYPE"),
        (
            "<!DOCTYPE svg [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\">]><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\">&b;</svg>",
            "DOCTYPE"
        ),
        (
            "<!DOCTYPE svg [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><svg xmlns=\"http://www.w3.org/2000/svg\"><title>&x;</title></svg>",
            "DOCTYPE"
        ),
        (svg("<title>&xxe;</title>"), "&xxe;"),
        (svg("<title>&nbsp;</title>"), "&nbsp;"),
        (svg("<![CDATA[<script>alert(1)</script>]]>"), "CDATA"),
        (svg("<?xml-stylesheet href=\"https://evil.test/a.css\"?>"), "processing instruction"),
        ("<?xml-stylesheet href=\"https://evil.test/a.css\"?>" + Pictures.square, "processing instruction"),
        (svg("<!ELEMENT g ANY>"), "declaration"),
        ("<?xml version=\"1.0\" encoding=\"UTF-7\"?>" + Pictures.square, "UTF-8"),
        ("<?xml version=\"1.0\" encoding='utf-16'?>" + Pictures.square, "UTF-8"),
        ("<html xmlns=\"http://www.w3.org/2000/svg\"/>", "<html>"),
        ("<g xmlns=\"http://www.w3.org/2000/svg\"/>", "<svg>"),
        ("<svg viewBox=\"0 0 1 1\"/>", "namespace"),
        ("<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "viewBox"),
        ("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%\" height=\"100%\"/>", "viewBox"),
        ("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 0 1\"/>", "viewBox"),
        ("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 nan 1\"/>", "viewBox"),
        ("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1\"/>", "viewBox"),
        ("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 0x1 1\"/>", "viewBox"),
        ("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1e999 1\"/>", "viewBox"),
        ("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1 x\"/>", "viewBox"),
        ("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"0x10\" height=\"1\"/>", "viewBox"),
        ("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"inf\"/>", "viewBox"),
        (svg("<title>\u{FFFE}</title>"), "U+FFFE"),
        (svg("<title>\u{FFFF}</title>"), "U+FFFE"),
        (svg("<path id=\"a\"/><path id=\"a\"/>"), "`a`"),
        (svg("<g id=\"a\"><use href=\"#a\"/></g>"), "#a"),
        (svg("<g id=\"a\"><use href=\"#b\"/></g><g id=\"b\"><use href=\"#a\"/></g>"), "itself"),
        (Pictures.svg("<use href=\"#r\"/>", root: "id=\"r\" viewBox=\"0 0 1 1\""), "#r"),
        (svg("<mask id=\"a\"><path mask=\"url(#a)\"/></mask>"), "#a"),
        (svg("<clipPath id=\"a\" style=\"clip-path:url('#a')\"/>"), "#a"),
        (svg("<linearGradient id=\"a\" href=\"#a\"/>"), "#a"),
    ]

    @Test("a hostile file is refused, and the refusal names the part", arguments: hostile.indices)
    func refuses(_ index: Int) throws {
        let (picture, name) = Self.hostile[index]
        let refusal = #expect(throws: Logo.Refusal.self, "\(picture)") { try SVGImage(Array(picture.utf8)) }
        #expect(refusal?.detail.contains(name) == true, "\(picture): \(refusal?.detail ?? "")")
    }

    private static let malformed = [
        "", " ", "<", "<svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\">", svg("<g>"), svg("</g>"), svg("<g></G>"),
        Pictures.square + "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\"/>", Pictures.square + "text", svg("<g a></g>"),
        svg("<g a=b></g>"), svg("<g x=\"1\"y=\"2\"/>"), svg("<g x=\"1\" x=\"2\"/>"), svg("<g x=\"<\"/>"), svg("<g x=\"1/>"), svg("< g/>"),
        svg("<g:h/>"), svg("<:g/>"), svg("<a:b:c/>"), svg("<g x=\"&\"/>"), svg("<title>&#0;</title>"), svg("<title>&#xD800;</title>"),
        svg("<title>&#x110000;</title>"), svg("<title>&#-1;</title>"), svg("<title>&#;</title>"), svg("<title>&#x;</title>"),
        svg("<title>&#99999999999999999999;</title>"), svg("<!-- <g/>"), svg("<\u{0421}ircle/>"), svg("<g\u{A0}x=\"1\"/>"),
        svg("<title>\u{0}</title>"), svg("<title>\u{1B}</title>"), svg("<g\u{0301}/>"), svg("<g/\u{0301}>"),
        "\u{FEFF}\u{FEFF}" + Pictures.square,
    ]

    @Test("a file that is not well-formed is refused", arguments: malformed.indices)
    func refusesMalformed(_ index: Int) {
        #expect(throws: Logo.Refusal.self, "\(Self.malformed[index])") { try SVGImage(Array(Self.malformed[index].utf8)) }
    }

    @Test("bytes that are not UTF-8 are refused")
    func encodings() {
        let latin: [UInt8] = Array(Self.svg("<title>Caf").utf8.dropLast(6)) + [0xE9] + Array("</title></svg>".utf8)
        let wide: [UInt8] = Pictures.square.utf16.reduce(into: [0xFF, 0xFE]) { $0 += [UInt8($1 & 0xFF), UInt8($1 >> 8)] }
        let overlong: [UInt8] = Array(Self.svg("").utf8.dropLast(6)) + [0xC0, 0xBC] + Array("script/></svg>".utf8)
        for bytes in [latin, wide, overlong, [0x1F, 0x8B, 8, 0]] as [[UInt8]] { #expect(throws: Logo.Refusal.self) { try SVGImage(bytes) } }
    }

    @Test("the work of a browser is bounded")
    func bounds() {
        // Ten parts, each with ten uses of the next one: ten billion.
        var laughs = "<path id=\"p0\"/>"
        for number in 1...10 {
            laughs += "<g id=\"p\(number)\">" + String(repeating: "<use href=\"#p\(number - 1)\"/>", count: 10) + "</g>"
        }
        // The same with masks, from the last to the first.
        var masks = ""
        for number in (1...7).reversed() {
            masks += "<mask id=\"m\(number)\">" + String(repeating: "<path mask=\"url(#m\(number - 1))\"/>", count: 10) + "</mask>"
        }
        let chain = (1...20).map { "<g id=\"c\($0)\"><use href=\"#c\($0 + 1)\"/></g>" }.joined()
        let backward = (1...20).reversed().map { "<g id=\"c\($0)\"><use href=\"#c\($0 + 1)\"/></g>" }.joined()
        let wide = String(repeating: "<use href=\"#a\"/>", count: 300) + "<g id=\"a\">" + String(repeating: "<path/>", count: 100) + "</g>"
        for content in [
            laughs, masks, chain, backward, wide, String(repeating: "<g>", count: 40) + String(repeating: "</g>", count: 40),
            String(repeating: "<g/>", count: 5001), "<g " + (0..<65).map { "data-a\($0)=\"\"" }.joined(separator: " ") + "/>",
            "<metadata>" + String(repeating: "<a>", count: 40) + String(repeating: "</a>", count: 40) + "</metadata>",
            "<title>\(String(repeating: "a", count: 501))</title>", String(repeating: "<g>", count: 40_000),
        ] {
            #expect(throws: Logo.Refusal.self, "\(content.prefix(100))") { try SVGImage(Array(Self.svg(content).utf8)) }
        }
        #expect(throws: Never.self) {
            try SVGImage(Array(Self.svg("<path id=\"a\"/>" + String(repeating: "<use href=\"#a\"/>", count: 1000)).utf8))
        }
    }

    @Test("a written picture has only names and values of the lists, for any mutation of its source")
    func mutations() throws {
        let seed = Array(Self.svg("<title>a&#x3C;b</title><g style=\"fill:url(#a);stroke:red\"><use href=\"#a\" x='1'/></g>").utf8)
        let pieces = [
            "<", ">", "\"", "'", "&", "/", "=", "<script", " onload=\"", "url(", "&#60;", "javascript:", "]]>", "<!--", "\u{0301}", ";",
            ":",
        ]
        for position in seed.indices {
            for piece in pieces {
                let other = Array(seed[..<position]) + Array(piece.utf8) + Array(seed[position...])
                guard let written = try? SVGImage(other).bytes else { continue }
                // A pattern would read a combining mark as a part of the `>` before it.
                let text = String(decoding: written.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
                #expect(try SVGImage(written).bytes == written, "\(text)")
                for tag in text.matches(of: /<([A-Za-z]+)((?: [A-Za-z-]+="[^"<>]*")*)\/?>/) {
                    #expect(SVGNames.elements.contains(String(tag.1)), "\(text)")
                    for attribute in String(tag.2).matches(of: #/ ([A-Za-z-]+)="([^"]*)"/#) {
                        #expect(SVGNames.attributes.union(["id", "href", "style", "xmlns"]).contains(String(attribute.1)), "\(text)")
                        #expect(!attribute.2.contains("//") || attribute.1 == "xmlns", "\(text)")
                    }
                }
                let rest = text.replacing(/<[A-Za-z]+(?: [A-Za-z-]+="[^"<>]*")*\/?>|<\/[A-Za-z]+>/, with: "")
                #expect(!rest.contains("<") && !rest.contains(">"), "\(text)")
            }
        }
    }
}
