import Encoding

/// Reads the elements of an SVG that may be written, and refuses the others.
struct SVGReader {
    static let namespace = "http://www.w3.org/2000/svg"

    private static let mostElements = 5000
    private static let deepest = 32
    private static let longestText = 500
    private static let link = "http://www.w3.org/1999/xlink"
    private static let xmlNamespace = "http://www.w3.org/XML/1998/namespace"
    /// The namespaces that a browser draws or runs. Their names have no prefix here, or none at all.
    private static let drawn = [
        namespace, link, "http://www.w3.org/1999/xhtml", "http://www.w3.org/1998/Math/MathML", "http://www.w3.org/2001/xml-events",
        "http://www.w3.org/2000/xmlns/",
    ]

    private var xml: XMLReader
    private var open: [SVGElement] = []
    /// The prefixes that each open element declares.
    private var prefixes: [[String: String]] = []
    private var count = 0

    init(_ image: [UInt8]) throws(Logo.Refusal) {
        xml = try XMLReader(image)
    }

    /// The root element with everything in it.
    mutating func root() throws(Logo.Refusal) -> SVGElement {
        var root: SVGElement?
        while true {
            switch try xml.next() {
            case .start(let name, let attributes, let isEmpty):
                guard root == nil else { throw xml.malformed("it has two root elements") }
                try admit()
                prefixes.append(try declarations(attributes))
                if try isDropped(name) {
                    if !isEmpty { try skip(name) }
                    prefixes.removeLast()
                    continue
                }
                open.append(try element(name, attributes))
                if isEmpty { root = close() }
            case .end(let name):
                guard open.last?.name.isSame(as: name) == true else { throw xml.malformed("`</\(name)>` closes another element") }
                root = close()
            case .text(let text): try take(text)
            case .over:
                guard open.isEmpty, let root else { throw xml.malformed("it has no root element, or it ends within one") }
                return root
            }
        }
    }

    /// Ends the innermost element. Returns it if it is the root.
    private mutating func close() -> SVGElement? {
        let element = open.removeLast()
        prefixes.removeLast()
        guard !open.isEmpty else { return element }
        open[open.count - 1].children.append(element)
        return nil
    }

    private mutating func admit() throws(Logo.Refusal) {
        count += 1
        guard count <= Self.mostElements else { throw xml.refusal("The SVG has more than \(Self.mostElements) elements. Simplify it") }
        guard prefixes.count < Self.deepest else {
            throw xml.refusal("The SVG is nested deeper than \(Self.deepest) elements. Simplify it")
        }
    }

    private mutating func take(_ text: String) throws(Logo.Refusal) {
        let isBlank = text.utf8.allSatisfy { $0 <= 0x20 }
        guard let last = open.last else {
            guard isBlank else { throw xml.malformed("text is outside of the root element") }
            return
        }
        if last.isText {
            open[open.count - 1].text += text
            guard open[open.count - 1].text.utf8.count <= Self.longestText
            else { throw xml.refusal("`<\(last.name)>` has more than \(Self.longestText) bytes. Shorten it") }
        } else if !isBlank {
            throw xml.refusal("Text in `<\(last.name)>` is not allowed. Convert it to paths")
        }
    }

    /// Reads through the end of an element without its content.
    private mutating func skip(_ name: String) throws(Logo.Refusal) {
        var names = [name]
        while let innermost = names.last {
            switch try xml.next() {
            case .start(let name, _, let isEmpty):
                count += 1
                guard count <= Self.mostElements, names.count < Self.deepest
                else { throw xml.refusal("`<\(names[0])>` has too many elements. Remove it") }
                if !isEmpty { names.append(name) }
            case .end(let name):
                guard name.isSame(as: innermost) else { throw xml.malformed("`</\(name)>` closes another element") }
                names.removeLast()
            case .text: continue
            case .over: throw xml.malformed("`<\(innermost)>` has no end")
            }
        }
    }

    // MARK: Namespaces

    /// The prefixes that an element declares.
    private func declarations(_ attributes: [XMLReader.Attribute]) throws(Logo.Refusal) -> [String: String] {
        var declared: [String: String] = [:]
        for attribute in attributes {
            if attribute.name.isSame(as: "xmlns") {
                guard attribute.value.isSame(as: Self.namespace)
                else { throw xml.refusal("The namespace of an element must be \(Self.namespace). Remove other values of `xmlns`") }
                declared[""] = attribute.value
            } else if attribute.name.begins(with: "xmlns:") {
                declared[String(attribute.name.dropFirst(6))] = attribute.value
            }
        }
        return declared
    }

    /// The namespace of a prefix.
    private func namespace(_ prefix: Substring) throws(Logo.Refusal) -> String {
        if prefix.isSame(as: "xml") { return Self.xmlNamespace }
        for declared in prefixes.reversed() {
            if let found = declared[String(prefix)] { return found }
        }
        throw xml.malformed("the prefix `\(prefix)` has no namespace")
    }

    /// Whether an element is data of an editor. All elements of a namespace that no browser draws are.
    private func isDropped(_ name: String) throws(Logo.Refusal) -> Bool {
        let parts = name.parts(at: ":")
        guard parts.count == 2 else {
            guard prefixes.contains(where: { $0[""] != nil })
            else { throw xml.refusal("The SVG has no namespace. Add `xmlns=\"\(Self.namespace)\"` to `<svg>`") }
            return name == "metadata" && !open.isEmpty
        }
        let namespace = try namespace(parts[0])
        guard !Self.drawn.has(namespace), !open.isEmpty
        else { throw xml.refusal("The element `<\(name)>` is not allowed. Write SVG elements without a prefix") }
        return true
    }

    // MARK: Elements

    private func element(_ name: String, _ attributes: [XMLReader.Attribute]) throws(Logo.Refusal) -> SVGElement {
        guard SVGNames.elements.has(name) else {
            throw xml.refusal("The element `<\(name)>` is not allowed. \(SVGNames.advice(onElement: name))")
        }
        guard !open.isEmpty || name == "svg" else { throw xml.refusal("The root element must be `<svg>`, not `<\(name)>`") }
        if let parent = open.last, parent.isText { throw xml.refusal("`<\(parent.name)>` can only have text. Remove `<\(name)>`") }
        var element = SVGElement(name)
        // A browser prefers `href` to `xlink:href`, whichever comes first.
        let ordered = attributes.filter { !$0.hasPrefix } + attributes.filter(\.hasPrefix)
        for attribute in ordered where !attribute.name.isSame(as: "xmlns") && !attribute.name.begins(with: "xmlns:") {
            let parts = attribute.name.parts(at: ":")
            if parts.count == 2 {
                let namespace = try namespace(parts[0])
                if namespace.isSame(as: Self.link), parts[1].isSame(as: "href") {
                    try add("href", attribute.value, to: &element)
                } else if namespace.isSame(as: Self.xmlNamespace), parts[1].isSame(as: "space") || parts[1].isSame(as: "lang") {
                    continue
                } else if Self.drawn.has(namespace) || namespace.isSame(as: Self.xmlNamespace) {
                    throw refusal(attribute.name, element)
                }
            } else if !SVGNames.isDropped(attribute.name) {
                try add(attribute.name, attribute.value, to: &element)
            }
        }
        return element
    }

    private func add(_ name: String, _ value: String, to element: inout SVGElement) throws(Logo.Refusal) {
        let written: String
        switch name {
        case "id":
            // An editor may use the name of a layer, which no reference can name.
            guard SVGValue.isID(value) else { return }
            written = value
        case "href":
            guard ["use", "linearGradient", "radialGradient"].has(element.name) else { throw refusal(name, element) }
            guard value.begins(with: "#"), SVGValue.isID(value.dropFirst())
            else { throw refusal(valueOf: name, element, "Only `#id` of the same file is allowed") }
            guard element["href"] == nil else { return }
            element.references.append(String(value.dropFirst()))
            written = value
        case "style":
            guard let style = SVGValue.style(value, &element.references) else {
                throw refusal(
                    valueOf: name, element,
                    "Use only the properties of shapes, with numbers, colors, keywords, transforms, or `url(#id)` of the same file")
            }
            written = style
        default:
            guard SVGNames.attributes.contains(name) else { throw refusal(name, element) }
            guard SVGValue.isSafe(value, &element.references) else {
                throw refusal(
                    valueOf: name, element, "Use only numbers, colors, keywords, transforms, or `url(#id)` of the same file")
            }
            written = value
        }
        element.attributes.append((name, written))
    }

    private func refusal(_ attribute: String, _ element: SVGElement) -> Logo.Refusal {
        xml.refusal("The attribute `\(attribute)` of `<\(element.name)>` is not allowed. Remove it")
    }

    private func refusal(valueOf attribute: String, _ element: SVGElement, _ rule: String) -> Logo.Refusal {
        xml.refusal("The value of `\(attribute)` in `<\(element.name)>` is not allowed. \(rule)")
    }
}
