import HTTPTypes
import Sessions

extension ErrorPage {
    static let deviceFromOtherPage = ErrorPage(
        outcome: "device_from_other_page", status: .badRequest, title: "Nothing was approved",
        detail: "Another page sent this request. A device is approved only on this page.",
        remedy: "If you have a device in front of you, type its code here yourself.")
    static let deviceUnreadable = ErrorPage(
        outcome: "device_unreadable", status: .badRequest, title: "The request cannot be processed",
        detail: "The request does not belong to a device that this page showed.", remedy: startAgainOnDevice)
    static let deviceInOtherBrowser = ErrorPage(
        outcome: "device_other_browser", status: .badRequest, title: "This started in another browser",
        detail: "It may also be finished already, or this browser may not save cookies.", remedy: startAgainOnDevice)
    static let deviceGone = ErrorPage(
        outcome: "device_gone", status: .badRequest, title: "The code is no longer valid",
        detail: "It has expired, or someone has decided about the device before.", remedy: startAgainOnDevice)
    static let tooManyUserCodes = ErrorPage(
        outcome: "rate_limited", status: .tooManyRequests, title: "Too many wrong codes",
        detail: "Too many wrong codes came from your network or to this page in the last minute.",
        remedy: "Wait a minute. Then enter the code again.")

    private static let startAgainOnDevice = "Start again on the device. Then enter its new code."
}
