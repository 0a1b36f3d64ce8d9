import Encoding
import Foundation
import Web

/// The documentation site, which `script/docs` builds, and the specification.
///
/// Every request looks at the disk. So a new build of the site needs no restart.
package struct Documentation: Sendable {
    /// The result of a look-up in the site.
    enum Entry: Equatable {
        /// The path of a regular file.
        case file(String)
        /// A folder with `index.html`, which was requested without the slash at its end. Relative links need it.
        case folderWithoutSlash
    }

    let folder: String
    let specification: String

    /// Relative paths start at the working directory.
    /// - Parameters:
    ///   - folder: The folder of the site.
    ///   - specification: The file of the specification.
    package init(folder: String, specification: String) {
        (self.folder, self.specification) = (folder, specification)
    }

    /// Whether the site is built.
    package var isBuilt: Bool { Self.file("\(folder)/index.html") != nil }

    /// Returns the entry at a path of a URL, relative to the site; nil if the site has none.
    /// - Parameter path: A path as in the request, with its percent codes. It is empty or starts with a slash.
    func entry(at path: String) -> Entry? {
        guard let root = Self.resolved(folder), let names = Self.names(in: path) else { return nil }
        let isFolder = path.utf8.last == UInt8(ascii: "/")
        let place = ([root] + names).joined(separator: "/")
        if !isFolder, let file = Self.file(place) { return Self.isInside(root, file) ? .file(file) : nil }
        guard let index = Self.file("\(place)/index.html"), Self.isInside(root, index) else { return nil }
        return isFolder ? .file(index) : .folderWithoutSlash
    }

    /// Returns the decoded names between the slashes; nil if a name may lead out of the folder, is hidden, or is malformed.
    ///
    /// By byte, because a `Character` can contain a slash or a dot with a combining mark.
    private static func names(in path: String) -> [String]? {
        let slash = UInt8(ascii: "/")
        guard path.isEmpty || path.utf8.first == slash, path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        // The slash at the end names no file.
        var names = path.utf8.split(separator: slash, omittingEmptySubsequences: false).dropFirst()
        if names.last?.isEmpty == true { names.removeLast() }
        var decoded: [String] = []
        for name in names {
            // A plus sign means a space only in a form.
            guard let name = Form.decode(String(Substring(name)).replacing("+", with: "%2B")),
                let first = name.utf8.first, first != UInt8(ascii: "."),
                name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != slash && $0 != UInt8(ascii: "\\") })
            else { return nil }
            decoded.append(name)
        }
        return decoded
    }

    /// Returns the path without symbolic links, if it is a regular file.
    private static func file(_ path: String) -> String? {
        guard let path = resolved(path) else { return nil }
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue ? path : nil
    }

    private static func isInside(_ folder: String, _ path: String) -> Bool {
        path.utf8.starts(with: "\(folder)/".utf8)
    }

    /// Returns the absolute path without symbolic links; nil if there is no file or folder.
    private static func resolved(_ path: String) -> String? {
        guard let path = realpath(path, nil) else { return nil }
        defer { free(path) }
        return String(validatingCString: path)
    }
}
