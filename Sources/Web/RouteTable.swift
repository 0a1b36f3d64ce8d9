import Encoding
package import HTTPTypes
package import Hummingbird

/// The routes of a server, as a tree of the segments of their paths.
///
/// Segments are compared by bytes. Hummingbird's tree compares them by `Character`. Empty segments do not count, so `//v1/` is `/v1`.
package struct RouteTable: Sendable {
    /// One route: an operation of the spec.
    package struct Route: Sendable {
        /// The `operationId`.
        package let action: String
        package let responder: any HTTPResponder<WebContext>
        /// The names of the parameters, in the order of the path.
        fileprivate let parameters: [Substring]
    }

    private struct Node: Sendable {
        var literals: [(segment: [UInt8], node: Int)] = []
        /// The node after any segment.
        var parameter: Int?
        var routes: [(method: HTTPRequest.Method, route: Route)] = []
    }

    private var nodes = [Node()]

    package init() {}

    /// Adds a route.
    /// - Parameter path: Its path in the form of the spec, such as `/v1/tenants/{tenant}`.
    package mutating func add(_ method: HTTPRequest.Method, _ path: String, action: String, responder: any HTTPResponder<WebContext>) {
        var node = 0
        var parameters: [Substring] = []
        for segment in path.parts(at: "/") {
            let next: Int
            if segment.begins(with: "{") {
                precondition(segment.utf8.last == UInt8(ascii: "}"), "\(path): a parameter must be a whole segment")
                parameters.append(segment.dropFirst().dropLast())
                next = nodes[node].parameter ?? nodes.count
                nodes[node].parameter = next
            } else {
                precondition(!segment.utf8.contains { "{}*".utf8.contains($0) }, "\(path): a parameter must be a whole segment")
                let bytes = Array(segment.utf8)
                next = nodes[node].literals.first { $0.segment == bytes }?.node ?? nodes.count
                if next == nodes.count { nodes[node].literals.append((bytes, next)) }
            }
            if next == nodes.count { nodes.append(Node()) }
            node = next
        }
        precondition(!nodes[node].routes.contains { $0.method == method }, "\(method) \(path) has two actions")
        nodes[node].routes.append((method, Route(action: action, responder: responder, parameters: parameters)))
    }

    /// The route of a request, with the values of its parameters. The route of GET answers HEAD (RFC 9110, section 9.3.2).
    package func find(_ method: HTTPRequest.Method, _ path: String) -> (route: Route, parameters: Parameters)? {
        var path = path
        let method = method == .head ? .get : method
        guard let (node, values) = node(of: &path), let route = nodes[node].routes.first(where: { $0.method == method })?.route
        else { return nil }
        let utf8 = path.utf8
        return (
            route,
            Parameters(
                zip(route.parameters, values).map { name, range in
                    let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
                    return (key: name, value: path[start..<utf8.index(start, offsetBy: range.count)])
                })
        )
    }

    /// The methods of a path, for 405 and `Allow`. Empty if no route has the path.
    package func methods(_ path: String) -> [String] {
        var path = path
        guard let (node, _) = node(of: &path) else { return [] }
        let methods = nodes[node].routes.map(\.method)
        return (methods.contains(.get) ? methods + [.head] : methods).map(\.rawValue).sorted()
    }

    /// The node with the routes of a path, and the segments that are values of parameters.
    private func node(of path: inout String) -> (Int, values: [Range<Int>])? {
        path.withUTF8 { bytes in
            let segments = bytes.ranges(between: UInt8(ascii: "/"), atMost: .max, includingEmpty: false)
            var values: [Range<Int>] = []
            return descend(segments[...], of: bytes, from: 0, &values).map { ($0, values) }
        }
    }

    /// A segment of a route takes precedence over a parameter, for all methods.
    private func descend(
        _ segments: ArraySlice<Range<Int>>, of path: UnsafeBufferPointer<UInt8>, from node: Int, _ values: inout [Range<Int>]
    ) -> Int? {
        guard let segment = segments.first else { return nodes[node].routes.isEmpty ? nil : node }
        let (bytes, rest) = (path[segment], segments.dropFirst())
        if let literal = nodes[node].literals.first(where: { $0.segment.count == bytes.count && $0.segment.elementsEqual(bytes) }),
            let found = descend(rest, of: path, from: literal.node, &values)
        {
            return found
        }
        guard let next = nodes[node].parameter else { return nil }
        values.append(segment)
        if let found = descend(rest, of: path, from: next, &values) { return found }
        values.removeLast()
        return nil
    }
}
