/// The time limits of a conversation.
package struct SMTPLimits: Sendable {
    /// To resolve the server's name and connect.
    package var connection = Duration.seconds(10)
    /// For the reply to a command, and for the greeting.
    package var step = Duration.seconds(20)
    /// To transfer a mail, and for its reply.
    package var data = Duration.seconds(40)
    /// For everything together. It is well below the lease of the outbox.
    package var total = Duration.seconds(75)

    package init() {}
}
