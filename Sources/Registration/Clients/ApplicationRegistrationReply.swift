import Access
import Foundation
import Tenancy

/// The registration of an application as administrators and the audit trail see it. It has no addresses of persons.
struct ApplicationRegistrationReply: Encodable {
    /// The application's ID, because an application has at most one registration.
    let id: ID<Application>
    let object = "application_registration"
    let initial_access_token_id: ID<InitialAccessToken>
    let client_uri, logo_uri, tos_uri, policy_uri: String?
    let software_id, software_version: String?
    let created_at, updated_at: Date

    init(_ registration: ClientRegistration) {
        let details = registration.details
        (id, initial_access_token_id) = (registration.application, registration.initialAccessToken)
        (client_uri, logo_uri, tos_uri, policy_uri) = (details.client_uri, details.logo_uri, details.tos_uri, details.policy_uri)
        (software_id, software_version) = (details.software_id, details.software_version)
        (created_at, updated_at) = (registration.createdAt, registration.updatedAt)
    }
}
