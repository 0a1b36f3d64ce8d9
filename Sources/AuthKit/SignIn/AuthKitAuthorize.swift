import Access
import Encoding
import HTTPTypes
import Hummingbird
import Sessions
import SignIn
import Tenancy
import Web

extension AuthKitSignInRoutes {
    /// Starts a sign-in by WorkOS's parameters. The parameters that select a way to sign in may only select Apple and the application's own
    /// tenant.
    @Sendable
    func authKitAuthorize(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try endpoints.browserQuery(request)
        guard let id = form["client_id"].flatMap(WorkOSID.application),
            let tenant = try await endpoints.showingOutage(.outage, context, { try await endpoints.find(application: id, context) }),
            tenant.tenant.status == .active
        else { throw ErrorPage.unknownApplication }
        context.record.note(tenant: tenant.tenant.slug)
        let asked = try AuthorizationRequest(
            try Self.translated(form, of: id), from: tenant.applications, issuer: endpoints.issuer(tenant.tenant),
            slug: tenant.tenant.slug, defaults: ["response_type": "code"])
        if let refusal = SelectorRefusal(form, tenant.tenant.id, asked.returnAddress) { throw refusal }
        let isStraight = form["provider"]?.isSame(as: "authkit") != true
        let page =
            isStraight
            ? nil
            : SignInPage(asked, straightTo: "AppleOAuth", for: tenant, request, context) {
                SignInPage.remainder(of: request.uri.query ?? "")
            }
        return try signIn.beginWithoutURI(asked, behind: page, for: tenant, request)
    }

    /// The parameters that have the same meaning in OAuth. A session always gets a refresh token, because WorkOS's clients require one.
    private static func translated(_ form: Form, of application: ID<Application>) throws -> Form {
        try Form(
            Form.encode([
                "client_id": application.description, "redirect_uri": form["redirect_uri"], "response_type": form["response_type"],
                "state": form["state"], "code_challenge": form["code_challenge"],
                "code_challenge_method": form["code_challenge_method"], "max_age": form["max_age"], "prompt": form["prompt"],
                "screen_hint": form["screen_hint"],
                "scope": "openid profile email offline_access",
            ]))
    }
}

/// A request for a way to sign in that the tenant does not have. The application receives it under the names of WorkOS's errors.
private struct SelectorRefusal: Error {
    private enum Code: String {
        case invalidConnectionSelector = "invalid_connection_selector"
        case connectionInvalid = "connection_invalid"
        case organizationInvalid = "organization_invalid"
        case invitationInvalid = "invitation_invalid"
    }

    private let code: Code
    private let description: String
    private let returnAddress: ReturnAddress

    private static let providers = ["AppleOAuth", "authkit"]

    /// Nil if the request selects Apple.
    init?(_ form: Form, _ tenant: ID<Tenant>, _ returnAddress: ReturnAddress) {
        self.returnAddress = returnAddress
        if form["connection_id"] ?? form["connection"] != nil {
            (code, description) = (.connectionInvalid, "SSO connections are not offered. Send provider with the value authkit.")
        } else if form["invitation_token"] != nil {
            (code, description) = (.invitationInvalid, "Invitations are not offered. Send the request without invitation_token.")
        } else if let organization = form["organization_id"] ?? form["organization"], WorkOSID.tenant(organization) != tenant {
            (code, description) = (.organizationInvalid, "organization_id is not the organization of this client_id.")
        } else if let provider = form["provider"] {
            guard !Self.providers.has(provider) else { return nil }
            (code, description) = (.invalidConnectionSelector, "provider must be AppleOAuth or authkit.")
        } else if form["organization_id"] ?? form["organization"] == nil {
            (code, description) = (.invalidConnectionSelector, "provider is missing. Send AppleOAuth or authkit.")
        } else {
            return nil
        }
    }
}

extension SelectorRefusal: HTTPResponseError {
    var status: HTTPResponse.Status { .seeOther }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        (context as? any RecordedContext)?.record.note(outcome: code.rawValue)
        return returnAddress.answer([("error", code.rawValue), ("error_description", description)], for: request)
    }
}
