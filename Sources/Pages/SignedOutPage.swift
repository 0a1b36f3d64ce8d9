package import Hummingbird
import Web

/// The page after a logout that lets applications end their own sign-ins, in frames (OpenID Connect Front-Channel Logout 1.0, section 3).
///
/// It has no script. A browser starts the refresh of a page when its frames are loaded (HTML Standard, "shared declarative refresh steps"),
/// so an application gets its request before the browser leaves. If a frame does not load, the person can use the link.
package struct SignedOutPage {
    /// The frame of an application.
    package struct Frame: Sendable {
        let address: String
        /// The origin of the address, as a policy names it.
        let origin: String

        package init(address: String, origin: String) {
            (self.address, self.origin) = (address, origin)
        }
    }

    let frames: [Frame]
    /// Where the browser goes afterwards.
    let address: String?

    package init(_ frames: [Frame], then address: String?) {
        (self.frames, self.address) = (frames, address)
    }

    package func response(in frame: PageFrame) -> Response {
        let language = frame.language
        var content: [String: Any] = [
            "title": language.text(.youAreSignedOut), "detail": language.text(.applicationsSignYouOut),
            "frames": frames.map { ["address": $0.address] },
        ]
        if let address {
            (content["returns"], content["address"], content["next"]) = (true, address, language.text(.continueByHand))
        } else {
            content["remedy"] = language.text(.youCanCloseThisPage)
        }
        var origins: [String] = []
        for origin in frames.map(\.origin) where !origins.contains(origin) { origins.append(origin) }
        return frame.response(Self.template, content, frames: origins.joined(separator: " "))
    }

    // A frame may run the application's page with its cookies. It may not navigate the window or open another one.
    private static let template = HTMLTemplate.framed(
        """
        {{#returns}}
        <meta http-equiv="refresh" content="0; url={{address}}">
        {{/returns}}
        <h1>{{title}}</h1>
        <p>{{detail}}</p>
        {{#returns}}
        <p><a class="button" href="{{address}}">{{next}}</a></p>
        {{/returns}}
        {{^returns}}
        <p>{{remedy}}</p>
        {{/returns}}
        {{#frames}}
        <iframe hidden src="{{address}}" sandbox="allow-scripts allow-same-origin allow-forms"></iframe>
        {{/frames}}
        """)
}
