package import Encoding
package import Hummingbird
package import Tenancy
package import Web

extension TenantEndpoints {
    /// The form that an application posts to an endpoint that it calls directly (RFC 6749, section 3.2; RFC 7009 and 7662, section 2.1).
    /// - Parameter repeatable: the parameters that may appear several times.
    package func postedForm(_ request: Request, _ context: WebContext, repeatable: Set<String> = []) async throws -> Form {
        guard request.isForm else { throw OAuthError(.invalidRequest, "Send the parameters as application/x-www-form-urlencoded.") }
        do { return try await Form(request.body, upTo: context.maxUploadSize, repeatable: repeatable) } catch is Form.Refusal {
            throw OAuthError(.invalidRequest, "A parameter is malformed or appears more than once.")
        }
    }

    /// The form that a browser posts. A refusal is a page for the person.
    package func browserForm(_ request: Request, _ context: WebContext, repeatable: Set<String> = []) async throws -> Form {
        guard request.isForm else { throw ErrorPage.malformed }
        do { return try await Form(request.body, upTo: context.maxUploadSize, repeatable: repeatable) } catch is Form.Refusal {
            throw ErrorPage.malformed
        }
    }

    /// The query that a browser sends. A refusal is a page for the person.
    package func browserQuery(_ request: Request, repeatable: Set<String> = []) throws(ErrorPage) -> Form {
        do { return try Form(request.uri.query ?? "", repeatable: repeatable) } catch { throw .malformed }
    }
}

extension Request {
    /// Whether the body's media type is a form (RFC 6749, appendix B).
    var isForm: Bool { mediaType?.isSame(as: "application/x-www-form-urlencoded") == true }
}
