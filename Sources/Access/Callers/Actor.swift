package import Foundation

/// The one who acts in a call of the REST API.
package enum Actor: Hashable, Sendable, CustomStringConvertible {
    case key(ID<APIKey>)
    /// - support: The support access during which an operator acts on the data of a tenant.
    case person(ID<Person>, session: ID<PersonSession>, support: ID<SupportAccess>?)

    /// The ID of the API key or the person.
    package var description: String {
        switch self {
        case .key(let id): id.description
        case .person(let id, _, _): id.description
        }
    }

    /// The ID without its kind, for limits and for rows per caller. All sessions of a person have the same.
    package var uuid: UUID {
        switch self {
        case .key(let id): id.uuid
        case .person(let id, _, _): id.uuid
        }
    }

    package var person: ID<Person>? { if case .person(let id, _, _) = self { id } else { nil } }
}
