import Access
import Encoding
import Hummingbird
import Postgres
import Users
import Web

extension AuthKitUserRoutes {
    @Sendable
    func authKitGetUserByExternalID(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersRead)
        // A plus sign stands for itself in a path.
        let encoded = (call.parameters.get("externalID") ?? "").parts(at: "+", includingEmpty: true).joined(separator: "%2B")
        guard let externalID = Form.decode(encoded),
            (1...UserDetails.longestExternalID).contains(externalID.unicodeScalars.count), !externalID.utf8.contains(0)
        else { throw Problem.notFound("user") }
        let database = call.database(pool)
        let id = try await database.run(UserDetails.userID(withExternalID: externalID, of: call.tenant))
            .first { try $0.get("user_id", as: ID<User>.self) }
        guard let id, let user = try await WorkOSUser.find(id, in: database, of: call.tenant) else { throw Problem.notFound("user") }
        return try .json(user)
    }
}
