import Encoding
import HTTPTypes
import Web

/// The methods of a path, for 405 and `Allow`.
struct RouteMethods: Sendable {
    private let routes: [(segments: [String], method: String)]

    init(_ actions: [ActionRouter.Action]) {
        routes = actions.map { (Self.segments($0.path), $0.method.rawValue) }
    }

    func callAsFunction(_ path: String) -> [String] {
        let asked = Self.segments(path)
        let methods = routes.filter { route in
            route.segments.count == asked.count
                && zip(route.segments, asked).allSatisfy { pattern, segment in pattern.begins(with: "{") || pattern.isSame(as: segment) }
        }.map(\.method)
        // The route of GET answers HEAD (RFC 9110, section 9.3.2).
        return (methods.contains("GET") ? methods + ["HEAD"] : methods).sorted()
    }

    private static func segments(_ path: String) -> [String] {
        path.parts(at: "/").map(String.init)
    }
}
