/// A time in which an operator may act on the data of a tenant that asked for help.
package struct SupportAccess: Identified, Sendable {
    package static let idPrefix = "support"
}
