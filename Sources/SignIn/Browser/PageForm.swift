import Access
import BrowserSessions
import Encoding
import Hummingbird
import Sessions
import Tenancy
import Web

/// The form that a page of this server sends to the tenant of its address.
struct PageForm {
    let form: Form
    let tenant: TenantConfiguration

    subscript(_ name: String) -> String? { form[name] }

    /// The application's state, which is in base64url, because a form would change its line breaks.
    var state: String? {
        form["state"].flatMap { [UInt8](base64URL: $0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// - Throws: an `ErrorPage` if the tenant's address below the public URL is switched off, and the form arrived there.
    func requireServedAddress() throws(ErrorPage) {
        guard tenant.tenant.addresses.serves(tenant.tenant.addresses.current) else { throw .unknownTenant }
    }
}

extension SignInRoutes {
    /// The form of a page after Apple's response, so it finds the tenants that the response finds. The address may be switched off. The
    /// sign-ins of WorkOS's interface are there even then, and everything else calls `requireServedAddress`.
    /// - Throws: an `ErrorPage` unless a page of this server sends the form to an active tenant.
    func pageForm(_ request: Request, _ context: WebContext, orThrow unreadable: ErrorPage) async throws -> PageForm {
        guard request.isFromOwnPage(endpoints.origin(context)) else { throw unreadable }
        let form = try await endpoints.browserForm(request, context)
        guard let tenant = try await endpoints.showingOutage(.outageAtCallback, context, { try await endpoints.tenantOfAttempt(context) })
        else {
            let place = form["attempt"].flatMap { LoginAttempt.place(of: $0, with: endpoints.keyring, at: endpoints.now()) }
            throw ErrorPage.unknownTenant.leading(toApplication: place?.application)
        }
        return PageForm(form: form, tenant: tenant)
    }
}
