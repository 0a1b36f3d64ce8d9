import Encoding
package import HTTPTypes
package import Hummingbird

/// The routes of a server, as a tree of the segments of their paths.
///
/// Segments are compared by bytes, and Hummingbird's tree compares them by `Character`. Empty segments do not count, so `//v1/` is `/v1`.
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
            if segment.begins(with: "{") {
                parameters.append(segment.dropFirst().dropLast())
                let next = nodes[node].parameter ?? nodes.count
                nodes[node].parameter = next
                node = next
            } else {
                let bytes = Array(segment.utf8)
                let next = nodes[node].literals.first { $0.segment == bytes }?.node ?? nodes.count
                if next == nodes.count { nodes[node].literals.append((bytes, next)) }
                node = next
            }
            if node == nodes.count { nodes.append(Node()) }
        }
        precondition(!nodes[node].routes.contains { $0.method == method }, "\(method) \(path) has two actions")
        nodes[node].routes.append((method, Route(action: action, responder: responder, parameters: parameters)))
    }

    /// The route of a request, with the values of its parameters. The route of GET answers HEAD (RFC 9110, section 9.3.2).
    package func find(_ method: HTTPRequest.Method, _ path: String) -> (route: Route, parameters: Parameters)? {
        var path = path
        let method = method == .head ? .get : method
        let found = path.withUTF8 { bytes -> (Route, [Range<Int>])? in
            let segments = bytes.ranges(between: UInt8(ascii: "/"), atMost: .max, includingEmpty: false)
            var values: [Range<Int>] = []
            return find(method, segments[...], of: bytes, from: 0, &values).map { ($0, values) }
        }
        guard let (route, values) = found else { return nil }
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

    /// A segment of a route takes precedence over a parameter.
    private func find(
        _ method: HTTPRequest.Method, _ segments: ArraySlice<Range<Int>>, of path: UnsafeBufferPointer<UInt8>, from node: Int,
        _ values: inout [Range<Int>]
    ) -> Route? {
        guard let segment = segments.first else { return nodes[node].routes.first { $0.method == method }?.route }
        let (bytes, rest) = (path[segment], segments.dropFirst())
        if let literal = nodes[node].literals.first(where: { $0.segment.count == bytes.count && $0.segment.elementsEqual(bytes) }),
            let route = find(method, rest, of: path, from: literal.node, &values)
        {
            return route
        }
        guard let next = nodes[node].parameter else { return nil }
        values.append(segment)
        if let route = find(method, rest, of: path, from: next, &values) { return route }
        values.removeLast()
        return nil
    }
}
