package import Access
package import Encoding
package import Factors
package import Foundation
import HTTPTypes
package import Hummingbird
package import Logging
package import Mail
package import Pages
import Passkeys
package import People
package import Postgres
package import Sealing
package import Sessions
import Tenancy
package import Web

/// The things that all pages of people share.
///
/// The pages are at the public URL only. At a tenant's own host, each path is below the tenant, so no cookie of a person gets there.
package struct AccountEndpoints: Sendable {
    package let pool: DatabasePool
    let keyring: Keyring
    /// The URL of this server for browsers, without a slash at its end.
    let publicURL: String
    package let limits: RequestLimits
    let hashing: PasswordHashing
    /// Nil if the public URL names an IP address, where browsers have no passkeys.
    let relyingParty: RelyingParty?
    /// The application for sign-ins with Apple. Nil without the settings.
    let apple: PlatformApplication?
    /// Nil if this server sends no mails.
    let mail: MailSender?
    let metrics: Metrics
    let logger: Logger
    let now: @Sendable () -> Date
    private let origin: String?

    /// The longest form in bytes. A password has up to 1024 bytes, which are three times as many in a form.
    package static let longestForm = 16_384
    /// The name of the product, where pages and authenticator apps show it.
    static let product = "Espalier"

    package init(
        pool: DatabasePool, keyring: Keyring, publicURL: String, limits: RequestLimits, hashing: PasswordHashing, mail: MailSender?,
        apple: PlatformApplication?, metrics: Metrics, logger: Logger, now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.keyring, self.publicURL, self.limits, self.hashing) = (pool, keyring, publicURL, limits, hashing)
        (self.mail, self.apple, self.metrics, self.logger, self.now) = (mail, apple, metrics, logger, now)
        origin = RedirectURI.origin(of: publicURL)
        relyingParty = origin.flatMap { RelyingParty(name: Self.product, origins: [$0]) }
    }

    /// The rows of people, and of the memberships and invitations of all owners.
    package var people: PlatformDatabase { PlatformDatabase(pool, for: .signPeopleIn) }

    /// The frame of a page.
    package func frame(_ request: Request, _ context: WebContext) -> PageFrame {
        PageFrame(request, nil, requestID: context.record.current.requestID)
    }

    /// The form that a page of this server sends.
    /// - Throws: an `ErrorPage`.
    func ownForm(_ request: Request, upTo limit: Int) async throws -> OwnForm {
        do { return try await OwnForm(request, at: origin, upTo: limit) } catch is OwnForm.Refusal { throw ErrorPage.formNotCurrent }
    }

    /// The query of a page.
    package func query(_ request: Request) throws(ErrorPage) -> Form {
        do { return try Form(request.uri.query ?? "") } catch { throw .formNotCurrent }
    }

    /// The statements that mail a notice to a person, with the address that the request comes from. None if this server sends no mails.
    package func notice(
        _ notice: AccountMail.Notice, to address: String? = nil, of person: Person, in frame: PageFrame, from context: WebContext,
        at now: Date
    ) throws -> [SQL] {
        guard mail != nil else { return [] }
        let mail = try person.notice(
            notice, to: address, publicURL: publicURL, from: context.record.current.address, language: frame.language, keyring: keyring,
            at: now)
        return mail.map { [$0] } ?? []
    }

    /// A handler that turns an outage and an overload into pages.
    package func answering(_ body: @escaping @Sendable (Request, WebContext) async throws -> Response) -> Handler {
        { request, context in
            do {
                return try await body(request, context)
            } catch let error as DatabaseError where error.isOutage {
                logger.error("database outage", metadata: ["request_id": "\(context.record.current.requestID)", "cause": "\(error)"])
                throw ErrorPage.outage
            } catch is PasswordHashing.Overloaded { throw ErrorPage.tooManySignIns }
        }
    }
}

extension ErrorPage {
    /// The form of another site, of an earlier session, or of none.
    package static let formNotCurrent = ErrorPage(
        outcome: "form_not_current", status: .badRequest, title: .requestCannotBeProcessed, detail: .formIsNotCurrent,
        remedy: .openThePageAgain)
    /// Too many passwords wait for their check.
    static let tooManySignIns = ErrorPage(
        outcome: "overloaded", status: .serviceUnavailable, title: .serviceIsUnavailable, detail: .partOfTheServiceIsDown,
        remedy: .tryAgainInMinutes)
}

extension Response {
    /// A redirect to a page of this server. It turns a POST into a GET.
    package static func seeOther(_ path: String, cookies: [String] = []) -> Response {
        .redirect(to: path, status: .seeOther, cookies: cookies)
    }
}
