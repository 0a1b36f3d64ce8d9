import Access
import Devices
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Pages
import People
import PeopleSignIn
import Postgres
import Sessions
import Web

extension TerminalRoutes {
    /// Shows which terminal asks, for the code that the person typed. It changes nothing.
    ///
    /// Wrong codes are limited per person, per network and for all, so that nobody finds the terminal of another person.
    func showTerminalDevice(_ request: Request, _ form: OwnForm, _ person: AccountContext) async throws -> Response {
        try person.requireRecentSignIn()
        let frame = account.frame(request, person.web)
        guard let code = UserCode(form["user_code"] ?? "")
        else { return codePage(person, problem: .codeHasEightLetters).response(in: frame) }
        guard let device = try await guess(code, person) else {
            person.web.record.note(outcome: "user_code_unknown")
            return codePage(person, problem: .codeIsUnknown).response(in: frame)
        }
        let language = frame.language
        let label = device.terminal.name?.program(in: language)
        var page = AccountPage(.isThisYourDevice, values: [.user: person.person.email, .application: TerminalClient.id])
        page.facts =
            [
                .init(.code, code.text), .init(.program, label ?? DeviceFacts.shown(device.terminal.device.userAgent, in: language)),
                .init(.requestedFrom, device.terminal.device.address ?? language.text(.unknownAddress)),
                .init(.requested, DeviceFacts.ago(device.createdAt, person.now, in: language)),
            ] + (try await memberships(of: person, in: language))
        page.details = [Self.power(of: person), .continueOnlyForYourTerminal]
        // No sentence says that the terminal is near, because an attacker can be in the same network.
        let networks = (
            RequestNetwork(public: device.terminal.device.address), RequestNetwork(public: person.web.record.current.address)
        )
        if let own = networks.1, networks.0?.differs(from: own) == true { page.problem = .requestCameFromAnotherNetwork }

        let ticket = TerminalTicket(device.id).sealed(for: person.session.id, with: grant.keyring)
        page.forms = [
            AccountForm("\(Self.devicePath)/approval", person.formToken, hidden: [("ticket", ticket)], button: .allow)
        ]
        var refusal = AccountForm("\(Self.devicePath)/refusal", person.formToken, hidden: [("ticket", ticket)], button: .refuse)
        refusal.isSecondary = true
        page.forms.append(refusal)
        return page.response(in: frame)
    }

    /// Looks up a user code. It counts before the look-up, and a right one is given back.
    /// - Throws: an `ErrorPage` instead of a look-up when a limit is reached.
    private func guess(_ code: UserCode, _ person: AccountContext) async throws -> PersonDevice? {
        let (context, network) = (person.web, CallerNetwork.site(of: person.web.record.current.address))
        var taken: [() -> Void] = []
        func take(_ level: TokenBucketLevel, _ back: @escaping () -> Void) throws {
            guard level.isGranted else {
                for back in taken { back() }
                context.record.note(header: .retryAfter, "\(max(1, level.secondsUntilNext))")
                throw ErrorPage.tooManyTerminalCodes
            }
            taken.append(back)
        }
        try take(guessesOfPerson.take(person.person.id, at: .now)) { guessesOfPerson.giveBack(person.person.id, at: .now) }
        try take(guessesOfNetwork.take(network, at: .now)) { guessesOfNetwork.giveBack(network, at: .now) }
        try take(guesses.take(true, at: .now)) { guesses.giveBack(true, at: .now) }
        let found = try await grant.database.repeatable.run(
            PersonDevice.find(code.digests(with: grant.keyring), at: person.now)
        ).first(PersonDevice.init)
        if found != nil { for back in taken { back() } }
        return found
    }

    /// The device of a form's ticket.
    /// - Parameter allowsOwn: whether the person may have approved it before, as after a double click.
    /// - Throws: an `ErrorPage` unless this session has seen the terminal, and it still waits for a decision.
    func device(_ form: OwnForm, _ person: AccountContext, allowsOwn: Bool = false) async throws -> PersonDevice {
        guard let ticket = TerminalTicket(opening: form["ticket"], for: person.session.id, with: grant.keyring)
        else { throw ErrorPage.formNotCurrent }
        let found = try await grant.database.repeatable.run(PersonDevice.find(ticket.device)).first(PersonDevice.init)
        guard let device = found, person.now < device.expiresAt,
            device.isOpen(at: person.now) || allowsOwn && device.person == person.person.id
        else { throw ErrorPage.terminalCodeOver }
        return device
    }
}

extension ErrorPage {
    static let terminalCodeOver = ErrorPage(
        outcome: "device_gone", status: .badRequest, title: .codeIsNoLongerValid, detail: .codeIsExpiredOrUsed,
        remedy: .startAgainOnTheDevice)
    static let tooManyTerminalCodes = ErrorPage(
        outcome: "rate_limited", status: .tooManyRequests, title: .tooManyWrongCodes, detail: .tooManyWrongCodesCame,
        remedy: .waitAMinute)
}
