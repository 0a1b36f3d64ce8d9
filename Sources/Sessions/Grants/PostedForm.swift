package import Hummingbird
package import Tenancy
package import Web

extension TenantEndpoints {
    /// What an application posts to the endpoints that it calls itself (RFC 6749, section 3.2; RFC 7009 and 7662, section 2.1).
    /// - Parameter repeatable: the parameters that may come several times.
    package func postedForm(_ request: Request, _ context: WebContext, repeatable: Set<String> = []) async throws -> Form {
        guard request.isForm else { throw OAuthError(.invalidRequest, "Send the parameters as application/x-www-form-urlencoded.") }
        do { return try await Form(request.body, upTo: context.maxUploadSize, repeatable: repeatable) } catch is Form.Refusal {
            throw OAuthError(.invalidRequest, "A parameter is malformed or comes more than once.")
        }
    }

    /// What a browser posts: whoever sits there is shown a page.
    package func browserForm(_ request: Request, _ context: WebContext, repeatable: Set<String> = []) async throws -> Form {
        guard request.isForm else { throw ErrorPage.malformed }
        do { return try await Form(request.body, upTo: context.maxUploadSize, repeatable: repeatable) } catch is Form.Refusal {
            throw ErrorPage.malformed
        }
    }

    /// What a browser is sent with.
    package func browserQuery(_ request: Request, repeatable: Set<String> = []) throws(ErrorPage) -> Form {
        do { return try Form(request.uri.query ?? "", repeatable: repeatable) } catch { throw .malformed }
    }
}

extension Request {
    /// Whether the body says that it is a form (RFC 6749, appendix B).
    var isForm: Bool { mediaType?.isSame(as: "application/x-www-form-urlencoded") == true }
}
