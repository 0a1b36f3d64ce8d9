import Hummingbird
import Synchronization
import Web

/// Which methods a path takes, for 405 and `Allow`: the router itself only says that nothing matched.
final class RouteMethods: Sendable {
    private let routes = Mutex<[(segments: [String], method: String)]>([])

    func read(_ router: Router<WebContext>) {
        routes.withLock { routes in
            routes = router.routes.map { (Self.segments($0.path.description), $0.method.rawValue) }
        }
    }

    func callAsFunction(_ path: String) -> [String] {
        let asked = Self.segments(path)
        let methods = routes.withLock { routes in
            routes.filter { route in
                route.segments.count == asked.count
                    && zip(route.segments, asked).allSatisfy { pattern, segment in pattern.begins(with: "{") || pattern.isSame(as: segment)
                    }
            }.map(\.method)
        }
        // The router answers HEAD wherever there is a GET (RFC 9110, section 9.3.2).
        return (methods.contains("GET") ? methods + ["HEAD"] : methods).sorted()
    }

    private static func segments(_ path: String) -> [String] {
        path.parts(at: "/").map(String.init)
    }
}
