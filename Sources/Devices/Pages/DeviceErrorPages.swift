import HTTPTypes
import Pages
import Sessions

extension ErrorPage {
    static let deviceFromOtherPage = ErrorPage(
        outcome: "device_from_other_page", status: .badRequest, title: .nothingWasApproved, detail: .anotherPageSentIt,
        remedy: .enterTheCodeYourself)
    static let deviceUnreadable = ErrorPage(
        outcome: "device_unreadable", status: .badRequest, title: .requestCannotBeProcessed, detail: .deviceWasNotShown,
        remedy: .startAgainOnTheDevice)
    static let deviceInOtherBrowser = ErrorPage(
        outcome: "device_other_browser", status: .badRequest, title: .deviceStartedInAnotherBrowser, detail: .finishedOrWithoutCookies,
        remedy: .startAgainOnTheDevice)
    static let deviceGone = ErrorPage(
        outcome: "device_gone", status: .badRequest, title: .codeIsNoLongerValid, detail: .codeIsExpiredOrUsed,
        remedy: .startAgainOnTheDevice)
    static let tooManyUserCodes = ErrorPage(
        outcome: "rate_limited", status: .tooManyRequests, title: .tooManyWrongCodes, detail: .tooManyWrongCodesCame, remedy: .waitAMinute)
}
