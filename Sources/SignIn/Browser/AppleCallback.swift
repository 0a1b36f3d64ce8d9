import Access
import Accounts
import Apple
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Pages
import Postgres
import Sessions
import Tenancy
import Users
import Web

extension SignInRoutes {
    /// Receives Apple's redirect for a connection that the tenant owns. Applications on a device also post Apple's response here.
    @Sendable
    func appleCallback(_ request: Request, _ context: WebContext) async throws -> Response {
        if try isFromApplication(request) { return try await signInNatively.nativeCallback(request, context) }
        guard let tenant = try await endpoints.showingOutage(.outageAtCallback, context, { try await endpoints.tenantOfAttempt(context) })
        else {
            let state = try await endpoints.browserForm(request, context)["state"] ?? ""
            let place = LoginAttempt.place(of: state, with: endpoints.keyring, at: endpoints.now())
            throw ErrorPage.unknownTenant.leading(toApplication: place?.application)
        }
        return try await finish(request, context) { place in
            place.tenant == tenant.tenant.id && place.mayReturn(through: .own, tenant) ? tenant : nil
        }
    }

    /// Receives Apple's redirect for the shared connection. One Return URL serves every tenant on it.
    ///
    /// The cookies of an attempt at a tenant's own host are there, so the browser passes Apple's answer on to this host, sealed.
    @Sendable
    func sharedAppleCallback(_ request: Request, _ context: WebContext) async throws -> Response {
        if try isFromApplication(request) { return try await signInNatively.sharedNativeCallback(request, context) }
        return try await finish(request, context, isShared: true) { place in
            guard let found = try await endpoints.directory.find(place.tenant), place.mayReturn(through: .shared, found)
            else { return nil }
            context.record.note(tenant: found.tenant.slug)
            guard found.tenant.status == .active else { throw ErrorPage.unknownTenant.leading(toApplication: place.application) }
            return found
        }
    }

    /// Whether an application on a device sent the request. It sends JSON. Apple's form comes through a browser.
    private func isFromApplication(_ request: Request) throws -> Bool {
        switch request.mediaType {
        case "application/json": return true
        case "application/x-www-form-urlencoded": return false
        default: throw Problem(.unsupportedMediaType, "Send application/x-www-form-urlencoded, or application/json from an application.")
        }
    }

    /// - Parameter isShared: whether the address is that of the shared connection.
    func finish(
        _ request: Request, _ context: WebContext, isShared: Bool = false,
        tenantOf: (LoginAttempt.Place) async throws -> TenantConfiguration?
    ) async throws -> Response {
        let now = endpoints.now()
        let form = try await endpoints.browserForm(request, context)
        let opened = Result { () throws(LoginAttempt.Refusal) -> LoginAttempt in
            try LoginAttempt(opening: form["state"] ?? "", with: endpoints.keyring, at: now) { login, part in
                AttemptCookie(login, publicURL: endpoints.publicURL).values(ofPart: part, in: request)
            }
        }
        if isShared, opened.host != nil, let page = try await passingOn(form, request, context, at: now) { return page }
        let attempt: LoginAttempt
        do { attempt = try opened.get() } catch {
            let page = page(for: error)
            guard let place = error.place,
                let tenant = try await endpoints.showingOutage(.outageAtCallback, context, { try await tenantOf(place) }),
                let application = tenant.applications[place.application]
            else { throw page }
            throw page.leading(to: application)
        }
        guard let tenant = try await endpoints.showingOutage(.outageAtCallback, context, { try await tenantOf(attempt.place) }) else {
            metrics.count(.callback, "other_tenant")
            throw ErrorPage.attemptUnreadable
        }
        let sent = AttemptCookie(attempt.login, publicURL: endpoints.publicURL).sent(in: request)
        guard let secret = attempt.secret(ofBrowserWith: sent.secrets) else {
            metrics.count(.callback, "other_browser")
            throw tenant.applications[attempt.application].map(ErrorPage.otherBrowser.leading(to:)) ?? .otherBrowser
        }
        context.record.note(language: AttemptCookie.language(in: secret)?.rawValue)
        // The application or its redirect URI may have been removed since the attempt started.
        guard let application = tenant.applications[attempt.application] else { throw ErrorPage.unknownApplication }
        guard application.isRegistered(for: attempt)
        else {
            throw ErrorPage.redirectURINotRegistered(
                attempt.redirectURI, of: application, issuer: endpoints.issuer(tenant.tenant))
        }

        let answer: AppleForm
        do throws(LoginAttempt.Refusal) {
            answer = try appleForm(form, to: attempt, tenant)
        } catch { throw page(for: error).leading(to: application) }

        // Each later error is redirected to the application.
        let returned = ReturnedAttempt(
            attempt: attempt, state: form["state"] ?? "", answer: answer, sent: sent, secret: secret, tenant: tenant,
            application: application, waiting: waitingIdentity(of: attempt, sent, at: now))
        if let page = try await repeatedPage(returned, request, context) { return page }
        guard !answer.isExpired(at: now) else { throw page(for: .expired(attempt.place)).leading(to: application) }
        // The cookies of the page whose button led to this sign-in.
        let earlier = returned.waiting.flatMap { $0.page == attempt.login ? nil : AttemptCookie($0.page, publicURL: endpoints.publicURL) }
        var started = earlier?.sent(in: request).removals() ?? []
        do {
            return try await signIn(returned, settingCookies: &started, request, context, at: now)
        } catch let question as LinkQuestion {
            return try await ask(question, of: returned, request, context).setting(started)
        } catch {
            return try await response(to: error, of: returned, settingCookies: started, request, context)
        }
    }

    /// The code for the application, or a question before it.
    /// - Parameter started: further cookies of the response. A browser session that starts adds its own.
    private func signIn(
        _ returned: ReturnedAttempt, settingCookies started: inout [String], _ request: Request, _ context: WebContext, at now: Date
    ) async throws -> Response {
        let (attempt, tenant, application, sent) = (returned.attempt, returned.tenant, returned.application, returned.sent)
        guard attempt.delivery != .tokens || application.returnsTokensInURL else { throw CallbackRefusal.tokensNotAllowed }
        guard attempt.delivery != .tokens || !application.isThirdParty else { throw CallbackRefusal.tokensOfThirdParty }
        var code = try await authorizationCode(
            for: AppleAnswer(returned.answer), to: attempt, tenant, by: sent, after: returned.waiting, device: Device(request, context),
            at: now)
        let isLinked =
            attempt.isLinking
            ? try await linkWaitingIdentity(
                returned.waiting, of: attempt, after: returned.appleCode, to: code.user, tenant, context, at: now) : true
        if tenant.tenant.settings.singleSignOn, tenant.tenant.addresses.allowsBrowserSessions, attempt.delivery == .code {
            started.append(try await startBrowserSession(with: &code, attempt, tenant.tenant, at: now))
        }
        let question = try await question(
            after: .init(secret: returned.secret, codeHash: LoginAttempt.hash(returned.appleCode)), of: code, to: attempt, application,
            tenant.tenant, at: now)
        let removals = (question == nil ? sent.removals() : sent.removalsOfWaiting) + started
        let kept = isLinked ? [] : await keptName(of: returned.waiting, tenant, with: sent.cookie, after: removals, request, at: now)
        if let question {
            metrics.count(.callback, question.page.rawValue)
            return try await page(question, for: tenant, request, context)
                .setting(
                    sent.cookie.set(
                        returned.secret, question: question.cookieValue, after: removals, beside: kept, in: request,
                        publicURL: endpoints.publicURL) + removals + kept)
        }
        var delivered = try await delivery(of: code, to: attempt, application, tenant.tenant, at: now)
        // The person believes the page, which said that both Apple Accounts would lead to one user. Only the application can tell.
        if !isLinked { delivered.append(("link", "failed")) }
        metrics.count(.callback, "ok")
        return attempt.returnAddress(issuer: endpoints.issuer(tenant.tenant)).answer(
            delivered, for: request, in: context.record.current.language, cookies: removals + kept)
    }

    /// The page or the redirect after an error.
    /// - Throws: the error for the application.
    private func response(
        to error: any Error, of returned: ReturnedAttempt, settingCookies started: [String], _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let (attempt, tenant, sent) = (returned.attempt, returned.tenant, returned.sent)
        let unfinished = error as? UnfinishedSignIn
        let error = unfinished?.cause ?? error
        func keptName(after removals: [String]) -> [String] {
            guard let name = unfinished?.name.sealed(with: endpoints.keyring) else { return [] }
            return sent.cookie.setKeptName(name, after: removals, in: request, publicURL: endpoints.publicURL)
        }
        let refusal = CallbackRefusal(error)
        metrics.count(.callback, refusal.outcome)
        endpoints.logger.log(
            level: refusal.isOurs ? .error : .notice, "callback refused",
            metadata: [
                "request_id": "\(context.record.current.requestID)", "tenant": "\(tenant.tenant.slug)",
                "outcome": "\(refusal.outcome)", "cause": "\(error)",
            ])
        // The person decides about the waiting identity again, and Apple does not send its name again. A person who goes back from the
        // page to Apple's sheet, and cancels there, wants neither.
        if let waiting = returned.waiting, let cause = refusal.cause, attempt.isLinking || cause != .canceled,
            let question = question(about: waiting, of: attempt, after: returned.appleCode, tenant)
        {
            context.record.note(outcome: refusal.code.rawValue)
            return try await ask(question, of: returned, request, context).setting(started + keptName(after: started))
        }
        // A person who goes back after an outage of the database still decides about the waiting identity.
        let removals = returned.waiting != nil && refusal.cause == nil ? [] : sent.removals(keepingName: true)
        var kept = keptName(after: removals)
        if kept.isEmpty, let cause = refusal.cause, cause != .canceled {
            kept = await self.keptName(of: returned.waiting, tenant, with: sent.cookie, after: removals, request, at: endpoints.now())
        }
        if let page = retryPage(after: refusal, of: attempt, returned.application, tenant, request, context) {
            context.record.note(outcome: refusal.code.rawValue)
            return page.setting(removals + kept)
        }
        var answer = RedirectedError(
            refusal.code, refusal.description, to: attempt.returnAddress(issuer: endpoints.issuer(tenant.tenant)))
        answer.cookies = removals + kept
        throw answer
    }

    /// Exchanges Apple's response for Espalier's authorization code. This takes one call to Apple and one round trip to the database. It reads
    /// the user, and a second round trip saves a user who is new or has changed, even if the application never redeems the code. A first
    /// authorization has a name, which is saved before the call.
    ///
    /// Anybody can post a form with a made-up code. So the id_token in the form is verified first. Without Apple's signature over the nonce
    /// of this attempt, Espalier does not call Apple. It does not compare `c_hash`, because Apple's documentation does not mention it. The
    /// nonce, the number of tries and the response of the token endpoint already bind the code.
    /// - Parameter earlier: the identity that waits for this sign-in.
    private func authorizationCode(
        for answer: AppleAnswer, to attempt: LoginAttempt, _ tenant: TenantConfiguration, by sent: AttemptCookie.Sent,
        after earlier: WaitingIdentity?, device: Device, at now: Date
    ) async throws -> AuthorizationCode {
        let (code, idToken, isNewConsent, name): (String, String?, Bool, AppleUser?)
        switch answer {
        case .code(let sent, let token, let isNew, let user): (code, idToken, isNewConsent, name) = (sent, token, isNew, user)
        case .cancelled: throw CallbackRefusal.cancelled
        case .other: throw CallbackRefusal.refusedByApple
        }
        guard let connection = tenant.connection, let key = tenant.appleKey, connection.id == attempt.connection
        else { throw CallbackRefusal.connectionChanged }
        guard code.utf8.count <= NativeSignIn.longestCode else { throw CallbackRefusal.codeTooLong }
        guard let idToken else { throw CallbackRefusal.idTokenMissing }

        // One time limit covers all calls to Apple, because the user waits for their sum.
        let deadline = ContinuousClock.now + apple.timeout
        let presented = try await presentedToken(idToken, to: attempt, connection, at: now, by: deadline)
        guard callbackTries.take(attempt.tries(of: presented, idToken), at: .now).isGranted else { throw CallbackRefusal.tooManyTries }

        let asked = Identity.Asked(tenant: attempt.tenant, application: attempt.application)
        // Apple sends the name once, and the id_token proves its user. So the name is saved before anything else can fail. If the person is
        // asked about a user with the same address, the name waits with the identity. It waits alone if the database fails, or if Apple does
        // not redeem the code.
        let isAsking = attempt.asksToLink && tenant.tenant.settings.accountLinking == .ask
        var saved: ID<User>?
        if let name, attempt.delivery != .identity {
            do {
                let first = try await saveUser.saved(
                    presented, name, isNewConsent: true, refreshToken: nil, asked, connection, isAsking: isAsking, at: now)
                if case .user(let user) = try admitted(first) { saved = user }
            } catch {
                throw UnfinishedSignIn(cause: error, name: KeptName(name, of: presented, through: connection, of: attempt.tenant, at: now))
            }
        }
        let (tokens, token): (AppleTokens, IDToken)
        do {
            tokens = try await redeemAtApple(
                code, redirectURI: endpoints.returnURL(tenant.tenant, connection), clientID: connection.servicesID, tenant.tenant,
                connection, key, at: now, by: deadline)
            token = try await apple.verify(
                tokens.idToken, audiences: [connection.servicesID], nonce: attempt.appleNonce, at: now, by: deadline)
        } catch {
            guard saved == nil, let name else { throw error }
            throw UnfinishedSignIn(cause: error, name: KeptName(name, of: presented, through: connection, of: attempt.tenant, at: now))
        }
        // Both id_tokens must name the same user (OpenID Connect Core, section 3.3.3.6).
        guard token.subject == presented.subject else { throw CallbackRefusal.otherUsersCode }
        let kept = sent.keptNames.lazy.compactMap {
            KeptName(opening: $0, of: token, through: connection, of: attempt.tenant, with: self.endpoints.keyring, at: now)?.name
        }.first
        let answered = AnsweredSignIn(
            token: token, tokens: tokens, code: code, name: name, keptName: kept, isNewConsent: isNewConsent, connection: connection)
        if attempt.delivery == .identity {
            let owner = identityTicket(of: attempt, sent, at: now)?.requester.user
            throw try connectQuestion(after: answered, of: attempt, addedTo: owner, at: now)
        }
        let user: ID<User>
        if let saved {
            user = try await admitted(
                saveUser.complete(
                    saved, savedFor: presented, token, name, refreshToken: tokens.refreshToken, asked, connection, at: now))
        } else {
            do {
                user = try await signedInUser(after: answered, of: attempt, asked, isAsking: isAsking, keeping: earlier, at: now)
            } catch  where !(error is LinkQuestion) {
                // Nothing is saved, and Apple's code is used.
                guard let name else { throw error }
                throw UnfinishedSignIn(cause: error, name: KeptName(name, of: presented, through: connection, of: attempt.tenant, at: now))
            }
        }
        let authenticatedAt = token.authenticatedAt(by: now)
        guard attempt.accepts(authenticatedAt: authenticatedAt) else { throw CallbackRefusal.authenticatedTooLongAgo }
        return AuthorizationCode(
            attempt, user: user, vouched: .init(token, through: connection), connection: connection.ownership,
            authenticatedAt: authenticatedAt, device: device, at: now)
    }

    /// The id_token of the form, verified.
    private func presentedToken(
        _ idToken: String, to attempt: LoginAttempt, _ connection: Connection, at now: Date, by deadline: ContinuousClock.Instant
    ) async throws -> IDToken {
        do throws(AppleError) {
            return try await apple.verify(
                idToken, audiences: [connection.servicesID], nonce: attempt.appleNonce, at: now, by: deadline)
        } catch {
            guard case .untrusted(let rule) = error else { throw error }
            throw CallbackRefusal.untrustedForm(rule)
        }
    }
}

extension LoginAttempt {
    /// How often Espalier calls Apple per sign-in: five times at once, then once per minute. So a real id_token with made-up codes causes
    /// only a few calls. The count is in the memory of this process, so each process has its own limit. Only a verified id_token takes
    /// memory here. An unauthenticated caller can neither fill the memory nor reset the counts.
    static var callbackTries: TokenBuckets<UUID> { TokenBuckets(perMinute: 1, holding: 5) }

    /// The key under which the tries are counted. It is the attempt, which the id_token's nonce proves. If Apple could not include a nonce
    /// (`nonce_supported` is false), it is the id_token (the first 16 bytes of its digest), because such a token fits any number of attempts.
    ///
    /// A key without memory of its own, because every login leaves one for a minute or longer.
    fileprivate func tries(of token: IDToken, _ text: String) -> UUID {
        guard token.nonce == nil else { return login.uuid }
        return SingleUse.digest(ofIDToken: text).withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
