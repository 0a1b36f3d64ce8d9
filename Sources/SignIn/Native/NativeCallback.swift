import Access
import ClientKeys
import HTTPTypes
package import Hummingbird
import Logging
package import Sessions
package import Tenancy
package import Web

extension SignInNatively {
    /// The `appleCallback` for an application on a device. It exchanges Apple's id_token for Espalier's tokens, without a browser.
    func nativeCallback(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let tenant = try await endpoints.reportingOutage(context, { try await endpoints.tenant(context) }) else {
            throw Problem.notFound("tenant")
        }
        return try await nativeAnswer(context) {
            let key = try endpoints.proof(in: request, context)?.key
            let (sent, client) = try await NativeSignIn.posted(request, upTo: context.maxUploadSize)
            var application: Application?
            if let client {
                application = ID<Application>(client).flatMap { tenant.applications[$0] }
                guard application != nil else { throw NativeRefusal.unknownApplication }
            }
            return try await signInNatively(sent, by: application, of: tenant, boundTo: key, on: Device(request, context))
        }
    }

    /// The `sharedAppleCallback` for an application on a device. The client ID identifies the tenant.
    func sharedNativeCallback(_ request: Request, _ context: WebContext) async throws -> Response {
        try await nativeAnswer(context) {
            let key = try endpoints.proof(in: request, context)?.key
            let (sent, client) = try await NativeSignIn.posted(request, upTo: context.maxUploadSize)
            guard let client else { throw NativeRefusal.clientMissing }
            guard let id = ID<Application>(client), let tenant = try await endpoints.find(application: id, context),
                tenant.tenant.status == .active, !tenant.tenant.addresses.isExclusive, let application = tenant.applications[id]
            else { throw NativeRefusal.unknownApplication }
            context.record.note(tenant: tenant.tenant.slug)
            return try await signInNatively(sent, by: application, of: tenant, boundTo: key, on: Device(request, context))
        }
    }

    /// Responds to a native sign-in in OAuth's form, on success and on failure, and counts it.
    /// - Parameter refused: the error code for the application, if it differs from the refusal's.
    func nativeAnswer(
        _ context: WebContext, refused: (NativeRefusal) -> OAuthError.Code = \.code, _ signIn: () async throws -> TokenReply
    ) async throws -> Response {
        try .json(try await counted(context, refused: refused, signIn), headers: [.pragma: "no-cache"])
    }

    /// Signs in an application's user, for an interface with its own responses, and counts the sign-in.
    /// - Throws: `OAuthError` for a refusal.
    package func nativeTokens(
        for sent: NativeSignIn, by application: Application, of tenant: TenantConfiguration, _ request: Request, _ context: WebContext
    ) async throws -> TokenReply {
        try await counted(context) {
            try await signInNatively(sent, by: application, of: tenant, boundTo: nil, on: Device(request, context))
        }
    }

    private func counted(
        _ context: WebContext, refused: (NativeRefusal) -> OAuthError.Code = \.code, _ signIn: () async throws -> TokenReply
    ) async throws -> TokenReply {
        do {
            let reply = try await endpoints.reportingOutage(context, signIn)
            metrics.count(.native, "ok")
            return reply
        } catch {
            guard let refusal = NativeRefusal(error) else {
                metrics.count(.native, error is TooManyRequests ? "rate_limited" : "unexpected")
                throw error
            }
            metrics.count(.native, refusal.outcome)
            endpoints.logger.log(
                level: refusal.isOurs ? .error : .notice, "native sign-in refused",
                metadata: [
                    "request_id": "\(context.record.current.requestID)", "tenant": "\(context.record.current.tenant ?? "")",
                    "outcome": "\(refusal.outcome)",
                ])
            throw OAuthError(refused(refusal), refusal.description, challenge: (error as? OAuthError)?.challenge)
        }
    }
}
