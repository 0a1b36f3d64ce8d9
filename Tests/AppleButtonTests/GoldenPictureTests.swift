import Foundation
import Testing

@testable import AppleButton

/// The pictures in the folder Golden. Look at them after a change of the drawing, and write them again:
/// `ESPALIER_WRITE_GOLDEN=1 swift test --filter GoldenPictureTests`.
@Suite("Golden pictures")
struct GoldenPictureTests {
    struct Picture: CustomTestStringConvertible, Sendable {
        let name: String
        let button: AppleButton
        /// Pixels per point. Nil for an SVG.
        var scale: Int?
        var testDescription: String { name }
        var file: URL {
            URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name).\(scale == nil ? "svg" : "png")")
        }
    }

    static let pictures: [Picture] =
        svgs.map { Picture(name: $0, button: $1) } + pngs.map { Picture(name: $0, button: $1, scale: $2) }

    private static let svgs: [(String, AppleButton)] = [
        ("black", AppleButton()),
        ("white", AppleButton(color: .white, height: 44, width: 220)),
        ("outlined", AppleButton(color: .white, hasBorder: true, height: 44, width: 220)),
        ("black-border", AppleButton(color: .black, hasBorder: true, height: 44, width: 220)),
        ("continue", AppleButton(kind: .continueWith, height: 44, width: 220)),
        ("sign-up", AppleButton(kind: .signUp, height: 44, width: 220)),
        ("german", AppleButton(locale: .german)),
        ("arabic", AppleButton(kind: .continueWith, locale: .arabic, height: 44, width: 260)),
        ("hebrew", AppleButton(hasBorder: true, locale: .hebrew)),
        ("japanese", AppleButton(kind: .signUp, color: .white, locale: .japanese)),
        ("thai", AppleButton(kind: .continueWith, locale: .thai)),
        ("chinese", AppleButton(color: .white, hasBorder: true, locale: .simplifiedChinese, cornerRadius: 0)),
        ("pill", AppleButton(height: 64, width: 375, cornerRadius: 50)),
        ("narrow", AppleButton(locale: .arabic, height: 64, width: 130)),
    ]

    private static let pngs: [(String, AppleButton, Int)] = [
        ("black", AppleButton(), 1),
        ("black-3", AppleButton(), 3),
        ("white", AppleButton(color: .white), 1),
        ("outlined-3", AppleButton(color: .white, hasBorder: true), 3),
        ("continue", AppleButton(kind: .continueWith), 1),
        ("sign-up-2", AppleButton(kind: .signUp), 2),
        ("german", AppleButton(locale: .german), 1),
        ("arabic-3", AppleButton(locale: .arabic), 3),
        ("hebrew", AppleButton(kind: .continueWith, locale: .hebrew), 1),
        ("japanese-2", AppleButton(kind: .signUp, locale: .japanese), 2),
        ("thai-3", AppleButton(locale: .thai), 3),
        ("taiwanese-2", AppleButton(kind: .continueWith, locale: .traditionalChinese), 2),
        ("square", AppleButton(color: .white, hasBorder: true, cornerRadius: 0), 1),
        ("pill-2", AppleButton(hasBorder: true, cornerRadius: 50), 2),
        ("smallest", AppleButton(height: 30, width: 130), 1),
        ("widest", AppleButton(kind: .continueWith, locale: .vietnamese, height: 64, width: 375), 1),
    ]

    private static let isWriting = ProcessInfo.processInfo.environment["ESPALIER_WRITE_GOLDEN"] == "1"

    @Test("a picture is as it was", arguments: pictures)
    func picture(_ picture: Picture) throws {
        let drawn = picture.scale.map { picture.button.png(scale: $0) } ?? Array(picture.button.svg.utf8)
        if Self.isWriting { try Data(drawn).write(to: picture.file) }
        let golden = [UInt8](try Data(contentsOf: picture.file))
        guard picture.scale != nil else {
            #expect(drawn == golden, "\(String(decoding: drawn, as: UTF8.self))")
            return
        }
        // The compressed bytes depend on the version of zlib.
        let (pixels, expected) = (try PNGPixels(drawn), try PNGPixels(golden))
        #expect((pixels.width, pixels.height) == (expected.width, expected.height))
        let different = zip(pixels.bytes, expected.bytes).count { $0 != $1 }
        #expect(different == 0, "\(different) of \(pixels.bytes.count) values differ")
    }

    /// The pictures of docs/button.md.
    private static let sheets: [(name: String, columns: Int, buttons: [AppleButton])] = [
        (
            "button-styles", 3,
            AppleButton.Kind.allCases.flatMap { kind in
                [
                    AppleButton(kind: kind, height: 44, width: 210), AppleButton(kind: kind, color: .white, height: 44, width: 210),
                    AppleButton(kind: kind, color: .white, hasBorder: true, height: 44, width: 210, cornerRadius: 50),
                ]
            }
        ),
        (
            "button-languages", 3,
            [
                .german, .french, .spanish, .italian, .polish, .turkish, .greek, .russian, .vietnamese, .arabic, .hebrew, .thai, .japanese,
                .korean, .simplifiedChinese,
            ].map { AppleButton(locale: $0, height: 44, width: 240) }
        ),
    ]

    @Test("the pictures of the documentation are current", arguments: sheets.map(\.name))
    func documentation(_ name: String) throws {
        let sheet = try #require(Self.sheets.first { $0.name == name })
        let (width, height) = (sheet.buttons[0].width + 24, sheet.buttons[0].height + 24)
        let rows = (sheet.buttons.count + sheet.columns - 1) / sheet.columns
        let size = (width: width * sheet.columns, height: height * rows)
        // A gray background, on which all styles are visible.
        var svg = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(size.width)" height="\(size.height)" viewBox="0 0 \(size.width) \(size.height)">
            <rect width="\(size.width)" height="\(size.height)" fill="#c8c8cc"/>

            """
        for (index, button) in sheet.buttons.enumerated() {
            let (x, y) = (index % sheet.columns * width + 12, index / sheet.columns * height + 12)
            svg += "<g transform=\"translate(\(x) \(y))\">\n\(button.svg)</g>\n"
        }
        svg += "</svg>\n"
        let file = URL(filePath: #filePath).appending(path: "../../../docs/pictures/\(name).svg").standardizedFileURL
        if Self.isWriting { try Data(svg.utf8).write(to: file) }
        #expect(try String(contentsOf: file, encoding: .utf8) == svg)
    }

    @Test("each file in the folder is a picture of the list")
    func files() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(files) == Set(Self.pictures.map(\.file.lastPathComponent)))
    }
}
