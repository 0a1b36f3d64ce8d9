/// A text of the pages for people. `Languages/English.swift` has the English words, and the other files of the folder have the
/// translations.
package enum Text: String, CaseIterable, Sendable {
    // The layout of all pages.
    case getHelp, privacy, terms, reference

    // The way back to the application.
    case backToTheApplication, youAreTakenBack, continueByHand

    // The sign-in page.
    case signInTitle, signUpTitle, continueWithApple
    case chooseAccount, agreement

    // A sign-in that did not start.
    case signInPageNotFound, noSignInAtThisAddress, checkTheAddress
    case signInIsSuspended, signInIsSwitchedOff, contactSupport
    case unknownApplication, clientIDIsUnknown, useTheRegisteredClientID
    case applicationHasNoSignIn, applicationIsAMachine, registerAnotherKind
    case returnAddressIsMissing, redirectURIIsMissing, sendARegisteredRedirectURI
    case returnAddressIsNotRegistered, addressIsNotRegistered
    case developersSendThePage, developersAddTheAddress, developersAllowDevelopment, otherwiseTellTheDevelopers
    case signInHasExpired, requestURIIsUnknown
    case signInDidNotStart, signInNeedsTheWindow, developersSendTheWindow
    case requestCannotBeProcessed, stateIsTooLong, sendAShorterState
    case requestCannotBeRead, parameterIsMalformed
    case signInIsUnavailableThisMonth, monthlyLimitIsReached, tryNextMonth
    case tooManyFailedRequests, tooManyFailuresOfTheNetwork, waitAndSignInAgain

    // A sign-in that did not finish.
    case signInWasNotStartedHere, responseBelongsToNoSignIn
    case signInTookTooLong, startedTooLongAgo
    case signInStartedInAnotherBrowser, finishedOrWithoutCookies
    case signInIsFinished, applicationHasTheSignIn
    case startAgain
    case signInWasCanceled, youAreNotSignedIn
    case appleDoesNotRespond, appleDidNotRespondInTime
    case signInDoesNotWork, appleRefusesTheSettings
    case signInDidNotFinish, responseCannotBeUsed

    // A failure of the server.
    case serviceIsUnavailable, databaseIsUnreachable, reloadInAMoment, reloadAndSendAgain
    case partOfTheServiceIsDown, unexpectedError, pageCannotBeShown, tryAgainInMinutes
    case tooManyRequests, tooManyRequestsOfTheNetwork

    // An address that is not a page.
    case noPageAtThisAddress, addressDoesNotExist, checkTheAddressOrSignInAgain
    case addressIsNotAPage, programsUseTheAddress, ifYouWereSigningIn

    // The sign-out.
    case youAreSignedOut, applicationCannotActForYou, youCanCloseThisPage, applicationsSignYouOut
    case serverStoresNoSignIn, onlyTheApplicationStoresIt
    case youAreNotSignedOut, hintIsUnreadable, signOutInTheApplication, developersRevokeTheToken
    case requestIsUnproven, sessionIDIsUnknown, developersSendTheSessionID
    case noWayBack, requestNamesNoApplication, returnToTheApplication, developersSendTheClientID
    case noWayBackToTheAddress

    // The question before a sign-out.
    case askToSignOut, signOutEndsAll, accountInUse, signOut
    case staySignedIn

    // The consent to an application of a third party.
    case askForConsent, applicationIsOfThirdParty, applicationReceives, receivesUserID
    case receivesName, receivesEmail, receivesOfflineAccess, receivesAPI
    case allow, useAnotherAccount

    // The question about a user with the same address.
    case accountExists, accountHasYourAddress, signInToLinkIt, signInToThatAccount, chooseEarlierAccount
    case createSeparateAccount

    // The proof of that user by mail.
    case sendLinkByMail, lookIntoMailbox, linkIsOnItsWay, openLinkInThisBrowser, mailMayBeSpam
    case tooManyMails, mailsWereSent, mailsOfTheDayWereSent, useNewestMail
    case mailedLinksDoNotWork, chooseAnotherWay
    case linkNeedsItsBrowser, accountHasChanged
    case mailSubject, mailConnects, openLinkWhereYouAsked, ignoreUnaskedMail

    // The confirmation of one more Apple Account.
    case connectAccount, connectionLetsSignIn, connectOnlyYourOwn, connect

    // The name that Apple did not share.
    case askForName, nameIsRequired, givenName, familyName, enterOneName
    case signInAgain, cancel
    case appleSharesNameOnce, nameIsSharedOnce, openAppleSettings, stopUsingAppleAccount, thenSignInAgain

    // The sign-in on a device.
    case signInOnADevice, enterTheCode, next, enterOnlyYourCode
    case codeHasEightLetters, codeIsUnknown
    case isThisYourDevice, continueOnlyOnYourDevice, refuse
    case youDidNotSignIn, signInWithAppleFailed
    case signInOnThisDevice, signedInAs, yourAppleAccount, allowThisDevice
    case deviceIsSignedIn, deviceContinues
    case youRefusedTheDevice, deviceIsNotSignedIn, doNotAnswerThatPerson
    case nothingWasApproved, anotherPageSentIt, enterTheCodeYourself
    case deviceWasNotShown, startAgainOnTheDevice, deviceStartedInAnotherBrowser
    case codeIsNoLongerValid, codeIsExpiredOrUsed
    case tooManyWrongCodes, tooManyWrongCodesCame, waitAMinute

    // The facts that the pages list.
    case application, registeredAddress, code, organization
    case requestedFrom, unknownAddress, serverOfTheApplication
    case program, programOfTheServer, unknownProgram
    case requested, lessThanAMinuteAgo, aMinuteAgo, minutesAgo
    case serverMadeTheRequest, requestCameFromAnotherNetwork

    // The sign-in of people who manage a tenant or the platform.
    case signInToYourAccount, browserIsSignedOut, emailAddress, password, useAnotherAddress, enterAnAddress
    case addressOrPasswordIsWrong, tooManyAttempts, waitSeconds, waitMinutes, waitHours, signInForThisStep, usePasskey, usePassword
    case confirmOnYourDevice, passkeysNeedAScript, passkeyWasNotConfirmed, browserHasNoPasskeys
    case passkeyIsNotAccepted, enterYourCode, codeOfAppOrRecovery, lostYourApp, passkeyIsTheSecondFactor
    case lostYourPasskey, codeIsWrong
    case protectYourAccount, scanWithYourApp, keyByHand, openInAnApp, thenEnterItsCode, confirm, recoveryCodes
    case keepTheCodes, continueToAccount, youAreInvited, createAccountToAccept, orCreateAccount, signInToAccept
    case invitationIsForAnother, invitationIsAccepted, role, yourName
    case enterYourName, chooseAPassword, createAccount, acceptInvitation, invitationIsOver, invitationWasUsed
    case invitationIsUsed, ifYouAcceptedIt, ifYouDidNotAcceptIt
    case askForAnInvitation, passwordTooShort, passwordTooLong, passwordUnreadable, passwordCommon
    case passwordPredictable, passwordHasAddress, passwordHasProduct, formIsNotCurrent, openThePageAgain
    case roleOperator, roleOwner, roleAdmin, roleDeveloper, roleBilling, roleViewer, invitationSubject
    case mailInvites, openLinkToAccept, ignoreInvitation

    // The sign-in of these people with another service.
    case signInAtOtherService, otherServiceSignsYouIn, organizationSignsYouIn, signInAtOrganization, otherServiceDidNotConfirm
    case accountThereIsUnknown, askYourOrganization, connectAppleFirst, onlyYourOrganization, signInThereIsNotNew
    case needsOrganizationsService
    case connectApple, disconnectApple, appleIsConnected, appleIsDisconnected, appleBelongsToSomebody, appleIsNeeded

    // The login from a terminal.
    case logInToTheTerminal, terminalActsAsYou, terminalActsForADay, continueIfYouStartedTheLogin, programOnMachine
    case terminalRequestIsOver, logInAgainInTheTerminal, enterOnlyYourTerminalsCode, continueOnlyForYourTerminal

    // Their own account.
    case yourAccount, backToYourAccount, save, changeIt, seeAll, removeIt, addressIsSignInName, changeAddress
    case newAddress, addressChangesByLink, openLinkWithinHour, lookIntoSpam, confirmAddress, addressWasAskedFor
    case browserHasAnotherAccount, newAccountGetsAddress
    case youSignInWithNewAddress, addressIsChanged, addressIsTaken, chooseAnotherAddress, noMail, noPassword
    case lastChangedOn, changePassword, newPassword, otherSignInsEnd, authenticatorApp, notSetUp, addedOn
    case setUp, setUpAnotherApp, earlierAppStays, askToRemoveApp, appIsRemoved, accountNeedsFactor, unusedCodes, makeNewCodes
    case askForNewCodes, earlierCodesEnd
    case passkeys, lastUsedOn
    case addPasskey, passkeySignsIn, passkeyName, passkeyWasNotAdded, tooManyPasskeys, removePasskey
    case onlyWayIn, signIns, thisBrowser, aBrowser, aTerminal, signedInOn, signOutElsewhere, memberships
    case ownPasskey, passkeyIsRemoved, noLongerSignsIn
    case yourOrganizationSignsYouIn, providerChangesNothing, organizationHasPassword, signInToChange
    case organizationNeedsAddress
    case onlyOperatorLeaves
    case noPasskey, recoveryCodeWasUsed
    case apiKeys, apiKeysStayValid, noAPIKeys, expiresOn, doesNotExpire, revoke, askToRevokeKey, revokedKeyEnds, keyIsRevoked
    case wholeInstallation, noMembership, leave, askToLeave, askToLeaveInstallation, leavingEndsAccess, lastOwnerStays
    case recoverAccount, recoveryByMail, recoveryIsOnItsWay, setNewPassword, lostAllFactors, linkIsInvalid
    case linkIsUsedOrExpired, passwordIsChanged, passwordWasChanged, mailSetsPassword, mailConfirmsAddress, mailLinkWorksOnce
    case noticeOfAccount, noticeAddressChanged, noticePasswordChanged, noticePasskeyAdded, noticeAppReplaced
    case noticeAppleConnected, noticeProviderConnected, noticeAuthenticatorAdded, noticeCodesRenewed
    case noticeRecoveryCodeUsed, noticeTerminalAllowed
    case noticePasskeyRemoved, noticeAuthenticatorRemoved, noticeAppleDisconnected
    case noticeNewAddress, noticePasskeyName, noticeTime, noticeNetwork
    case noticeNewNetwork, noticeCodesGuessed, noticeRecoveryCodesGuessed, noticeFactorsReset
    case ifItWasNotYou, ifAddressIsLost, ifYouDidNotAsk, checkYourAccount, ifMailboxIsRead, nameHasLimit
    case providerWasSet, providerIsRequired, providerIsOptional, providerWasDeleted
    case subjectOfSupport, subjectOfMembers, subjectOfProvider, supportStarted, supportCanEnd, operatorChangedMembers
    case memberInvited, memberUninvited, memberRoleChanged, memberRemoved
}

extension Text {
    /// A place in a text for a value, written as `{application}`.
    package enum Placeholder: String, CaseIterable, Sendable {
        case address, api, application, count, date, earlier, field, limit, machine, minutes, name, organization, parameter, reference
        case role, seconds, user, wait
        case limitWhenEncoded = "limit_when_encoded"
    }

    /// A part of a text: its own words, or the value of a placeholder.
    package enum Piece: Sendable, Equatable {
        case words(String)
        case value(String)
    }
}

extension Language {
    /// A wait in the unit that people read, rounded up: seconds, minutes or hours. All numbers are at least 2.
    package func wait(_ seconds: Int) -> String {
        let minutes = seconds / 60 + (seconds % 60 > 0 ? 1 : 0)
        let (text, count): (Text, Int) =
            if seconds <= 90 { (.waitSeconds, max(2, seconds)) } else if minutes < 120 { (.waitMinutes, minutes) } else {
                (.waitHours, minutes / 60 + (minutes % 60 > 0 ? 1 : 0))
            }
        return self.text(text, [.count: "\(count)"])
    }

    /// The text with its values.
    package func text(_ text: Text, _ values: [Text.Placeholder: String] = [:]) -> String {
        pieces(text, values).map { piece in
            switch piece {
            case .words(let text), .value(let text): text
            }
        }.joined()
    }

    /// A name that does not change the direction of the words around it, and that they do not change (Unicode Standard Annex 9, section 2.4).
    /// A name in ASCII needs no isolation between words that run to the right.
    package func isolated(_ name: String) -> String {
        isRightToLeft || name.utf8.contains { $0 >= 0x80 } ? "\u{2068}\(name)\u{2069}" : name
    }

    /// The parts of the text. A value is never read for placeholders. A placeholder without a value stays.
    package func pieces(_ text: Text, _ values: [Text.Placeholder: String] = [:]) -> [Text.Piece] {
        var (pieces, run): ([Text.Piece], [UInt8]) = ([], [])
        var rest = Array(words(text).utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "{"), let end = rest.firstIndex(of: UInt8(ascii: "}")),
                let value = Text.Placeholder(rawValue: String(decoding: rest[..<end], as: UTF8.self)).flatMap({ values[$0] })
            {
                if !run.isEmpty { pieces.append(.words(String(decoding: run, as: UTF8.self))) }
                pieces.append(.value(value))
                (run, rest) = ([], rest[end...].dropFirst())
            } else {
                run.append(byte)
            }
        }
        if !run.isEmpty { pieces.append(.words(String(decoding: run, as: UTF8.self))) }
        return pieces
    }

    /// The words of a text, with its placeholders.
    package func words(_ text: Text) -> String {
        texts[text] ?? peopleTexts[text] ?? Self.englishTexts[text] ?? Self.englishPeopleTexts[text] ?? ""
    }

    package var texts: [Text: String] {
        switch self {
        case .english: Self.englishTexts
        case .german: Self.germanTexts
        case .french: Self.frenchTexts
        case .spanish: Self.spanishTexts
        case .italian: Self.italianTexts
        case .portuguese: Self.portugueseTexts
        case .dutch: Self.dutchTexts
        case .japanese: Self.japaneseTexts
        case .korean: Self.koreanTexts
        case .simplifiedChinese: Self.simplifiedChineseTexts
        case .traditionalChinese: Self.traditionalChineseTexts
        case .arabic: Self.arabicTexts
        case .hebrew: Self.hebrewTexts
        case .turkish: Self.turkishTexts
        case .polish: Self.polishTexts
        }
    }

    /// The texts for people who manage a tenant or the platform.
    package var peopleTexts: [Text: String] {
        switch self {
        case .english: Self.englishPeopleTexts
        case .german: Self.germanPeopleTexts
        case .french: Self.frenchPeopleTexts
        case .spanish: Self.spanishPeopleTexts
        case .italian: Self.italianPeopleTexts
        case .portuguese: Self.portuguesePeopleTexts
        case .dutch: Self.dutchPeopleTexts
        case .japanese: Self.japanesePeopleTexts
        case .korean: Self.koreanPeopleTexts
        case .simplifiedChinese: Self.simplifiedChinesePeopleTexts
        case .traditionalChinese: Self.traditionalChinesePeopleTexts
        case .arabic: Self.arabicPeopleTexts
        case .hebrew: Self.hebrewPeopleTexts
        case .turkish: Self.turkishPeopleTexts
        case .polish: Self.polishPeopleTexts
        }
    }
}
