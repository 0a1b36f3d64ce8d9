package import HTTPTypes
package import Hummingbird

/// A router in which each route names its action.
///
/// A group of routes does not know its whole path or the groups around it, and the router sees a route only when this is known. So
/// until then, the last component of the path carries the name. So the server knows the action of a request before any
/// middleware or context rejects the request.
package final class ActionRouter: RouterMethods {
    package typealias Context = WebContext

    /// One route: an operation of the spec.
    package struct Action: Sendable {
        package let method: HTTPRequest.Method
        /// The path in the form of the spec, such as `/v1/tenants/{tenant}`.
        package let path: String
        /// The `operationId`.
        package let name: String
    }

    package private(set) var table = RouteTable()
    package private(set) var actions: [Action] = []

    package init() {}

    @discardableResult
    package func on<Responder: HTTPResponder>(
        _ path: RouterPath, method: HTTPRequest.Method, responder: Responder
    ) -> Self where Responder.Context == WebContext {
        guard let name = path.components.last.flatMap({ Self.name(in: $0) })
        else { preconditionFailure("\(method) \(path) has no action. Add the route with its operationId.") }
        let path = RouterPath(path.components.dropLast().map(\.description).joined(separator: "/"))
        actions.append(Action(method: method, path: path.description, name: name))
        table.add(method, path.description, action: name, responder: responder)
        return self
    }

    @discardableResult
    package func add(middleware: any MiddlewareProtocol<Request, Response, WebContext>) -> Self {
        preconditionFailure("Middleware for all routes is not supported. Add it to a group of routes.")
    }

    private static let prefix = "action="

    fileprivate static func component(naming action: String) -> RouterPath {
        RouterPath(prefix + action)
    }

    private static func name(in component: RouterPath.Element) -> String? {
        let text = component.description
        return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
    }
}

extension RouterMethods where Context: RecordedContext {
    /// Adds a route with the name of its action. The name is the `operationId` of the spec, and the label in the log
    /// and the metrics.
    @discardableResult
    package func on(
        _ method: HTTPRequest.Method, _ path: RouterPath = "", _ action: String,
        use handler: @Sendable @escaping (Request, Context) async throws -> Response
    ) -> Self {
        on(path.appendingPath(ActionRouter.component(naming: action)), method: method, use: handler)
    }
}
