import Encoding
import HTTPTypes
import Hummingbird
import Web

extension DomainRoutes {
    /// Responds to a load balancer whether a host may have a certificate, for example to Caddy's `on_demand_tls`.
    ///
    /// Everybody may ask, because everybody can connect to a host and see its certificate. The answer comes from memory, so names that
    /// somebody makes up cost no statement.
    @Sendable
    func askForCertificate(_ request: Request, _ context: WebContext) async throws -> Response {
        let query = try Query(request, "domain")
        guard let host = try query.text("domain"), host.utf8.count <= 255, HostName.isHost(host),
            let name = HostName.name(in: host), try await hosts.serves(name)
        else { throw Problem(.notFound, "This host serves no tenant. Verify the domain first.") }
        return Response(status: .ok, headers: [.cacheControl: "no-store", .contentLength: "0"])
    }
}
