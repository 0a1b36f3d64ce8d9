import Encoding
import HTTPTypes
import Hummingbird
import Synchronization
import Web

/// The routes for the edge: the methods of a path, for 405 and `Allow`, and the action of a route. The router itself only reports
/// that no route matched.
final class RouteMethods: Sendable {
    private struct Table {
        var routes: [(segments: [String], method: String)] = []
        var actions: [String: [HTTPRequest.Method: String]] = [:]
    }

    private let table = Mutex(Table())

    func read(_ actions: [ActionRouter.Action]) {
        table.withLock { table in
            for action in actions {
                table.routes.append((Self.segments(action.path), action.method.rawValue))
                table.actions[action.path, default: [:]][action.method] = action.name
            }
        }
    }

    /// The `operationId` of the route with this method and path pattern.
    func action(_ method: HTTPRequest.Method, _ path: String) -> String? {
        table.withLock { $0.actions[path]?[method] }
    }

    func callAsFunction(_ path: String) -> [String] {
        let asked = Self.segments(path)
        let methods = table.withLock { table in
            table.routes.filter { route in
                route.segments.count == asked.count
                    && zip(route.segments, asked).allSatisfy { pattern, segment in pattern.begins(with: "{") || pattern.isSame(as: segment)
                    }
            }.map(\.method)
        }
        // The router answers HEAD for every GET (RFC 9110, section 9.3.2).
        return (methods.contains("GET") ? methods + ["HEAD"] : methods).sorted()
    }

    private static func segments(_ path: String) -> [String] {
        path.parts(at: "/").map(String.init)
    }
}
