import Access

/// A login. The session and the usage event contain its ID.
package enum LoginID: Identified {
    package static let idPrefix = "login"
}
