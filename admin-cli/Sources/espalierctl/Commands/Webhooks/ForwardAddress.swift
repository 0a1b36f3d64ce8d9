import ArgumentParser
import Foundation

/// An address that receives events. Without a scheme, it is http, as people write `localhost:3000/webhooks`.
struct ForwardAddress: ExpressibleByArgument {
    let url: URL

    init?(argument: String) {
        // `localhost:3000` alone would be a URL with the scheme `localhost`.
        let text = argument.wholeASCIIMatch(of: #/[A-Za-z][A-Za-z0-9+.-]*:\/\/.*/#) == nil ? "http://\(argument)" : argument
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()), url.host()?.isEmpty == false,
            url.user == nil
        else { return nil }
        self.url = url
    }
}
