package import Access
import Encoding
import Foundation
package import Sessions
package import Tenancy
package import Users

/// The session that asks to add an Apple Account, of a user in an application. Each sealed value of the addition contains it, because only
/// this session can store the result.
package struct IdentityRequester: Sendable, Equatable {
    package let tenant: ID<Tenant>
    package let user: ID<User>
    let session: ID<Session>
    package let application: ID<Tenancy.Application>

    init(_ person: UserRoutes.Person) {
        (tenant, user) = (person.tenant.tenant.id, person.user)
        (session, application) = (person.session, person.application.id)
    }

    func write(to fields: inout FieldWriter) {
        for id in [tenant.uuid, user.uuid, session.uuid, application.uuid] { fields.write(id) }
    }

    init(_ fields: inout FieldReader) throws {
        (tenant, user) = (ID(try fields.uuid()), ID(try fields.uuid()))
        (session, application) = (ID(try fields.uuid()), ID(try fields.uuid()))
    }
}
