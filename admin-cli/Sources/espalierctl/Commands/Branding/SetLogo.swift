import ArgumentParser
import Foundation

/// `espalierctl branding set-logo`: sets a tenant's logo.
struct SetLogo: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-logo",
        abstract: "Sets the logo of a tenant's pages to a PNG or SVG.",
        discussion: """
            A PNG has up to 2048 by 2048 pixels. An SVG has only shapes: no text, style sheets, scripts, images or references to other \
            files. The error names the part to remove. Both have up to 256 KiB.

            EXAMPLES
              espalierctl branding set-logo acme.svg --tenant acme
            """)
    static let view: View? = .branding

    @Argument(help: ArgumentHelp("The PNG or SVG.", valueName: "file"), completion: .file(extensions: ["png", "svg"]))
    var file: String

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        let path = "\(try session.path(tenant))/branding"
        return .put("\(path)/logo", file: try LogoFile.read(file)).ifUnchanged(path, match.ifMatch)
    }
}

/// The file of a logo.
enum LogoFile {
    /// The largest size in bytes.
    private static let limit = 256 * 1024

    /// Reads a logo. Its first bytes decide about its type.
    /// - Throws: ``Failure``.
    static func read(_ name: String) throws(Failure) -> Call.File {
        let data: Data
        do {
            data = try FileHandle(forReadingFrom: URL(filePath: SecretFile.expanded(name))).read(upToCount: limit + 1) ?? Data()
        } catch {
            throw Failure(
                status: .usage, detail: "The logo \(name) cannot be read.", nextStep: "Check that the file exists and that you may read it."
            )
        }
        guard data.count <= limit
        else { throw Failure(status: .usage, detail: "The logo \(name) has more than 256 KiB.", nextStep: "Make the image smaller.") }
        let isPNG = data.starts(with: [0x89, 0x50, 0x4E, 0x47])
        guard isPNG || data.contains(UInt8(ascii: "<"))
        else { throw Failure(status: .usage, detail: "\(name) is neither a PNG nor an SVG.", nextStep: "Export the logo as PNG or SVG.") }
        return .init(name: name, mediaType: isPNG ? "image/png" : "image/svg+xml", bytes: data)
    }
}
