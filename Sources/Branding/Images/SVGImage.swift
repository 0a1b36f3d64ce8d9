import Encoding

/// An SVG picture (SVG 2), written again with only the elements and attributes that draw a still picture from this one file.
///
/// Everything else is refused by name, so that no part of a logo gets lost unnoticed. Only data of editors is dropped: comments,
/// `<metadata>`, foreign namespaces, and attributes without an effect on the picture.
struct SVGImage {
    let bytes: [UInt8]

    /// - Throws: `Logo.Refusal`.
    init(_ image: [UInt8]) throws(Logo.Refusal) {
        var reader = try SVGReader(image)
        var root = try reader.root()
        try root.requireSize()
        var references = SVGReferences(root)
        try references.check()
        var text = SVGText()
        text.write(root, attributes: "xmlns=\"\(SVGReader.namespace)\"")
        bytes = text.bytes
    }
}

/// An element that may be written.
struct SVGElement {
    let name: String
    var attributes: [(name: String, value: String)] = []
    /// The IDs that its attributes refer to.
    var references: [String] = []
    var children: [SVGElement] = []
    /// The text of `<title>` and `<desc>`.
    var text = ""

    init(_ name: String) {
        self.name = name
    }

    subscript(attribute: String) -> String? {
        attributes.first { $0.name.isSame(as: attribute) }?.value
    }

    /// Whether it has only text.
    var isText: Bool { name == "title" || name == "desc" }

    /// Requires a size, and adds a `viewBox` if there is only a width and a height. Without it, a page cannot scale the picture.
    fileprivate mutating func requireSize() throws(Logo.Refusal) {
        if let box = self["viewBox"] {
            let parts = box.utf8.split { $0 == UInt8(ascii: ",") || $0 == 0x20 }
            let numbers = parts.compactMap { SVGValue.number(Substring($0)) }
            guard parts.count == 4, numbers.count == 4, numbers[2] > 0, numbers[3] > 0
            else { throw .init("The `viewBox` of the SVG must have four numbers, the last two greater than 0. Export it again.") }
            return
        }
        guard let width = length("width"), let height = length("height")
        else { throw .init("The SVG has no size. Add `viewBox=\"0 0 WIDTH HEIGHT\"` to `<svg>`.") }
        attributes.append(("viewBox", "0 0 \(width) \(height)"))
    }

    /// The number of a length in pixels that is greater than 0.
    private func length(_ attribute: String) -> Substring? {
        guard let value = self[attribute] else { return nil }
        let digits = value.utf8.suffix(2).elementsEqual("px".utf8) ? value.dropLast(2) : value[...]
        guard let number = SVGValue.number(digits), number > 0 else { return nil }
        return digits
    }
}

/// Bounds the work of a browser that draws the picture.
///
/// Each reference repeats its target, so a few elements can stand for billions, and a reference to itself for an endless number.
private struct SVGReferences {
    /// The number of elements when each reference is replaced by its target.
    private static let mostElements = 20_000
    /// The number of references that lead from one to the next.
    private static let deepest = 8

    private let root: SVGElement
    private var targets: [String: SVGElement] = [:]
    private var duplicate: String?
    private var known: [String: (count: Int, depth: Int)] = [:]
    /// The targets that are being counted.
    private var open: Set<String> = []

    init(_ root: SVGElement) {
        self.root = root
        collect(root)
    }

    private mutating func collect(_ element: SVGElement) {
        if let id = element["id"], targets.updateValue(element, forKey: id) != nil { duplicate = id }
        for child in element.children { collect(child) }
    }

    mutating func check() throws(Logo.Refusal) {
        if let duplicate { throw .init("The ID `\(duplicate)` occurs twice in the SVG. Rename one.") }
        if let id = root["id"] { open.insert(id) }
        _ = try count(root, hops: 0)
    }

    /// The number of elements of an element with those of its targets, and the number of references from one to the next.
    /// - Parameter hops: The references that lead here. It also bounds the recursion.
    private mutating func count(_ element: SVGElement, hops: Int) throws(Logo.Refusal) -> (count: Int, depth: Int) {
        guard hops <= Self.deepest else { throw Self.tooMany }
        var (count, depth) = (1, 0)
        for child in element.children {
            let part = try countOpening(child, hops: hops)
            (count, depth) = (count + part.count, max(depth, part.depth))
        }
        for id in element.references {
            let part = try self.count(of: id, hops: hops + 1)
            (count, depth) = (count + part.count, max(depth, part.depth + 1))
        }
        guard count <= Self.mostElements, depth <= Self.deepest else { throw Self.tooMany }
        return (count, depth)
    }

    private static let tooMany = Logo.Refusal(
        "The SVG repeats its parts too often with references. Draw them without `<use>`, masks or clip paths.")

    /// Counts a child. While it is open, a reference to it is one to itself.
    private mutating func countOpening(_ child: SVGElement, hops: Int) throws(Logo.Refusal) -> (count: Int, depth: Int) {
        guard let id = child["id"] else { return try count(child, hops: hops) }
        if let known = known[id] { return known }
        open.insert(id)
        let part = try count(child, hops: hops)
        open.remove(id)
        known[id] = part
        return part
    }

    /// Counts a target. A missing target draws nothing.
    private mutating func count(of id: String, hops: Int) throws(Logo.Refusal) -> (count: Int, depth: Int) {
        guard !open.contains(id) else { throw .init("The part `#\(id)` of the SVG refers to itself. Remove the reference.") }
        guard let target = targets[id] else { return (0, 0) }
        return try countOpening(target, hops: hops)
    }
}

/// Writes an SVG.
private struct SVGText {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ element: SVGElement, attributes: String? = nil) {
        bytes += "<\(element.name)".utf8
        if let attributes { bytes += " \(attributes)".utf8 }
        for (name, value) in element.attributes {
            bytes += " \(name)=\"".utf8
            append(value)
            bytes.append(UInt8(ascii: "\""))
        }
        guard !element.children.isEmpty || !element.text.isEmpty else {
            bytes += "/>".utf8
            return
        }
        bytes.append(UInt8(ascii: ">"))
        append(element.text)
        for child in element.children { write(child) }
        bytes += "</\(element.name)>".utf8
    }

    private mutating func append(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            default: bytes.append(byte)
            }
        }
    }
}
