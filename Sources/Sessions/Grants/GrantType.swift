/// The grant type of a token exchange (RFC 8693, section 2.1).
package enum GrantType {
    package static let tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
}
