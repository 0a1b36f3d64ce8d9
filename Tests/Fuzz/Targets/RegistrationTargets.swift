@testable import Access
import Encoding
import Foundation
import Fuzzing
@testable import Registration
import Sessions
@testable import Tenancy
@testable import Web

extension FuzzTarget {
    static let registration: [FuzzTarget] = [
        FuzzTarget(
            "client-metadata",
            seeds: [
                #"{"redirect_uris":["https://app.test/cb"],"grant_types":["authorization_code","refresh_token"],"client_name":"Shop"}"#,
                #"{"redirect_uris":["com.example.app:/cb"],"application_type":"native","contacts":["a@b.test"],"scope":"openid"}"#,
                #"{"grant_types":["client_credentials"],"response_types":[],"software_id":"a","logo_uri":"https://a.test/\u0041"}"#,
                #"{"jwks":{"keys":[{"kty":"EC","a\"\\b":1}]},"software_statement":"a.b.c"}"#, "[]",
            ]
        ) { bytes in
            let id = ID<Tenancy.Application>(UUID(uuidString: "00000000-0000-7000-8000-000000000000")!)
            let token = InitialAccessToken(
                id: ID(id.uuid), name: "Fuzz", lastFour: "abcd", kinds: Tenancy.Application.Kind.allCases, requiresPKCE: true,
                mostRegistrations: 1, expiresAt: .distantFuture, createdAt: .distantPast, updatedAt: .distantPast)
            do {
                let metadata: ClientMetadata
                do {
                    var fields = try JSONFields(json: bytes)
                    metadata = try ClientMetadata(&fields, allowsPrivate: false)
                } catch let problem as Problem {
                    throw OAuthError(metadata: problem.fields, problem.detail)
                }
                let application = try metadata.newApplication(id, by: token, at: .distantPast)
                try hold(application.misfits.isEmpty && application.requiresPKCE, "an application has forbidden settings")
                try hold(!application.allowsDevelopmentURIs && !application.returnsTokensInURL, "a client has a setting with a risk")
                for uri in application.redirectURIs + application.logoutURIs {
                    try hold(RedirectURI.refusal(of: uri) == nil && !RedirectURI.isForDevelopment(uri), "\(uri) is registered")
                }
                let stored = metadata.storedDetails
                let read = ClientDetails(try JSONValue(json: JSONWriter.encode(stored)))
                try hold(read == stored, "the stored metadata change")
            } catch let error as OAuthError {
                // The characters of a description (RFC 6749, section 5.2).
                let isPlain = error.description.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
                try hold(isPlain && !error.description.isEmpty, "\(error.description.debugDescription) is in a header")
            }
        }
    ]
}
