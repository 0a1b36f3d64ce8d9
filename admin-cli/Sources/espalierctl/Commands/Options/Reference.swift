import ArgumentParser

/// The slug or ID of a resource. Other characters are rejected here, because the text becomes part of a path.
struct Reference: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        let isName = argument.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isName, !argument.isEmpty else { return nil }
        text = argument
    }
}
