import Access
import Encoding
import Hummingbird
import Web

extension AuthKitOrganizationRoutes {
    /// Lists the caller's organization, unless a filter excludes it.
    @Sendable
    func authKitListOrganizations(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.tenantsRead)
        let query = try Query(request.uri.query ?? "", WorkOSPage.parameters + ["domains", "search"])
        let page = try WorkOSPage(query) { WorkOSID.tenant($0)?.uuid }
        let tenant = try await organization(of: call)
        let search = try query.text("search")?.asciiLowercased
        // An organization has no domains here. A page after or before the only one is empty.
        let isShown =
            try query.text("domains") == nil && query.text("after") == nil && query.text("before") == nil
            && search.map { tenant.name.asciiLowercased.contains($0) } ?? true
        return try .json(
            page.list(isShown ? [tenant] : [], id: { WorkOSID.text($0.id) }) { WorkOSOrganization($0) })
    }
}
