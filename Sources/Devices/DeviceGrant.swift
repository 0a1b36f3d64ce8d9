import Access
import Encoding
import Foundation
package import Postgres
package import Sessions
import Tenancy
package import Web

/// Signs a user in on a device without a browser, such as a television or a terminal (RFC 8628). The user signs in with a browser on another
/// device.
///
///     device  → POST /t/{tenant}/oauth2/device_authorization   AuthorizeDevice    device code and user code: one row
///     user    → GET  /t/{tenant}/device                        EnterDeviceCode    types the user code
///             → POST /t/{tenant}/device                        ShowDevice         sees which device asks, and from where
///             → GET  /t/{tenant}/device/sign-in                SignInForDevice    Apple, as for any sign-in
///             → GET  /t/{tenant}/device/approval               ReviewDevice       sees the user and the device
///             → POST /t/{tenant}/device/approval               ApproveDevice      the only step that gives the device anything
///     device  → POST /t/{tenant}/oauth2/token                  RedeemDeviceCode   session and usage event, one transaction
///
/// A person can be tricked into approving an attacker's device (section 5.4). So a link can fill in the user code but approves nothing. The
/// pages show the device that asked, and only a form of these pages approves, in the browser that saw them.
package struct DeviceGrant: Sendable {
    let tokens: Tokens
    let pool: DatabasePool
    let metrics: Metrics
    /// The requests of a network without authentication.
    let starts = TokenBuckets<String>(perMinute: 20)
    /// The requests for one application. Above this limit, a request does not count rows.
    let startsOfApplication = TokenBuckets<ID<Application>>(perMinute: 1000, holding: 2000)
    /// The polls of a network without authentication that reach the database.
    let pollsOfNetwork = TokenBuckets<String>(perMinute: 600)
    /// The polls of one device. Above this limit, an early poll costs no statement.
    let polls = TokenBuckets<UUID>(perMinute: 60, holding: 10)
    var endpoints: TenantEndpoints { tokens.endpoints }

    package init(tokens: Tokens, pool: DatabasePool, metrics: Metrics) {
        (self.tokens, self.pool, self.metrics) = (tokens, pool, metrics)
    }

    func counted<R>(_ step: Metrics.Step, _ context: WebContext, _ body: () async throws -> R) async throws -> R {
        do {
            let result = try await endpoints.reportingOutage(context, body)
            metrics.count(step, "ok")
            return result
        } catch let error as OAuthError {
            metrics.count(step, error.isRateLimited ? Problem.Code.rateLimited.rawValue : error.code.rawValue)
            throw error
        } catch {
            metrics.count(step, "unexpected")
            throw error
        }
    }
}
