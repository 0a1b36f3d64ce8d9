import Access

/// A login, whose id the session and the usage event will carry.
package enum LoginID: Identified {
    package static let idPrefix = "login"
}
