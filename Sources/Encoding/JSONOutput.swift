/// A document, and its containers without their closing bracket.
final class JSONOutput {
    var text = JSONText()
    private var open: [(end: UInt8, isEmpty: Bool, number: Int)] = []
    private var opened = 0

    /// A container, identified by its depth. The number distinguishes it from an earlier container at the same depth.
    struct Place {
        let depth: Int
        let number: Int
    }

    private var depth: Int { open.count }

    /// Writes any value, with all of its containers closed.
    func write<Value: Encodable>(_ value: Value) throws {
        // Types are compared before a conformance is looked up, because most values are strings.
        if Value.self == String.self, let string = value as? String { return text.append(string: string) }
        if let value = value as? any JSONWritable { return try value.write(to: &text) }
        if let value = value as? any SortedMembers { return try value.write(to: self) }
        let (depth, start) = (depth, text.count)
        try value.encode(to: JSONValueEncoder(output: self, depth: depth))
        close(to: depth)
        if text.count == start { text.append("{}") }
    }

    // MARK: Containers

    /// Opens a container, or returns to the container that the same value opened before. A value may encode its parts one after the
    /// other.
    func container(_ begin: Character, _ end: Character, at depth: Int) -> Place {
        close(to: depth + 1)
        if open.count == depth {
            opened += 1
            open.append((end.asciiValue!, true, opened))
            text.append(begin.asciiValue!)
        }
        precondition(open[depth].end == end.asciiValue!, "A value encodes an object and an array at the same place.")
        return Place(depth: depth, number: open[depth].number)
    }

    /// Prepares the next member or element of a container.
    func next(in place: Place) {
        precondition(
            open.count > place.depth && open[place.depth].number == place.number,
            "A container was written to after the container around it.")
        close(to: place.depth + 1)
        if open[place.depth].isEmpty { open[place.depth].isEmpty = false } else { text.append(UInt8(ascii: ",")) }
    }

    func next(in place: Place, key: String) {
        next(in: place)
        append(key: key)
    }

    func append(key: String) {
        text.append(string: key)
        text.append(UInt8(ascii: ":"))
    }

    /// Closes the containers inside this depth.
    func close(to depth: Int) {
        while open.count > depth { text.append(open.removeLast().end) }
    }
}

/// A dictionary of any values.
private protocol SortedMembers {
    func write(to output: JSONOutput) throws
}

extension Dictionary: SortedMembers where Key == String, Value: Encodable {
    fileprivate func write(to output: JSONOutput) throws {
        output.text.append(UInt8(ascii: "{"))
        for (index, member) in sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }).enumerated() {
            if index > 0 { output.text.append(UInt8(ascii: ",")) }
            output.append(key: member.key)
            try output.write(member.value)
        }
        output.text.append(UInt8(ascii: "}"))
    }
}
