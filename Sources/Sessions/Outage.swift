import Logging
import Postgres
package import Tenancy
package import Web

extension TenantEndpoints {
    /// Reports an outage of the database in OAuth's form.
    package func reportingOutage<T>(_ context: WebContext, _ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as DatabaseError where error.isOutage {
            logger.error(
                "database outage", metadata: ["request_id": "\(context.record.current.requestID)", "cause": "\(error)"])
            throw OAuthError(.temporarilyUnavailable, "The database is unavailable. Try again in a few seconds.")
        }
    }

    /// Shows a page to the person during an outage of the database.
    package func showingOutage<T>(_ page: ErrorPage, _ context: WebContext, _ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as DatabaseError where error.isOutage {
            logger.error(
                "database outage", metadata: ["request_id": "\(context.record.current.requestID)", "cause": "\(error)"])
            throw page
        }
    }
}
