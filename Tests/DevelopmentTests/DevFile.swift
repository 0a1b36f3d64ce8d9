import Foundation
@testable import Server
import TestSupport

/// `dev.json`, as a program reads it.
struct DevFile: Decodable, Equatable {
    struct Tenant: Decodable, Equatable {
        struct Application: Decodable, Equatable {
            let client_id: String
            let client_secret: String?
            let redirect_uri: String
        }

        let slug, id, issuer, connection, api_key: String
        let application: Application

        /// Signs in at the tenant's application.
        var request: TestBrowser.Request {
            var request = TestBrowser.Request(
                .init(
                    slug: slug, id: id, issuer: issuer, connection: connection, return_url: "",
                    applications: [
                        .init(
                            client_id: application.client_id, name: "Demo", client_secret: application.client_secret,
                            redirect_uris: [application.redirect_uri])
                    ]))
            request.redirectURI = application.redirect_uri
            return request
        }
    }

    let base_url, operations_url, simulator_url, demo_url, mail_url, platform_api_key: String
    let tenants: [Tenant]

    /// Returns a new browser.
    var browser: TestBrowser { TestBrowser(publicURL: base_url, address: base_url) }

    /// Returns the number of the tenant's logins in the REST API.
    func logins(of tenant: Tenant, key: String? = nil) async throws -> Int? {
        try await browser.get(
            "\(base_url)/v1/tenants/\(tenant.slug)/usage", headers: [("Authorization", "Bearer \(key ?? tenant.api_key)")]
        )
        .json["logins"] as? Int
    }
}
