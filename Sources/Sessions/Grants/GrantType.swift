/// The grant types with a name of their own.
package enum GrantType {
    /// RFC 6749, section 4.4.
    static let clientCredentials = "client_credentials"
    /// RFC 8693, section 2.1.
    package static let tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
}
