import Foundation
package import Mail
import Server

extension Linking {
    /// Runs the body on a server that sends its mails to a mail server of the test.
    package static func runWithMail(
        _ settings: [String: any Sendable] = [:], application: Int = 0,
        _ body: @Sendable @escaping (Linking, TestMailServer) async throws -> Void
    ) async throws {
        try await TestMailServer.run { server async throws in
            let mail = try server.settings()
            try await TestPlatform.run({ $0.mail = mail }) { platform in
                if !settings.isEmpty { try await platform.set(settings) }
                try await body(try await make(platform, application: application), server)
            }
        }
    }

    /// Asks for a mail on the page, and returns the mail.
    /// - Parameter page: a page of this browser. Default: that of a new sign-in.
    package func mail(from page: TestBrowser.Answer? = nil, by server: TestMailServer) async throws -> TestMailServer.Received {
        let before = server.mails.count
        var asking = page
        if asking == nil { asking = try await self.page() }
        let answer = try await browser.press(asking!, "/mail")
        guard answer.status == 200 else { throw TestSimulator.Refused(description: "no mail: \(answer.status) \(answer.body)") }
        return try await eventually("the mail arrives") { server.mails.dropFirst(before).first }
    }

    /// Opens the link of a new mail, and returns the page.
    package func openLink(from page: TestBrowser.Answer? = nil, by server: TestMailServer) async throws -> TestBrowser.Answer {
        let answer = try await browser.get(try await mail(from: page, by: server).link)
        guard asksToConnect(answer) else { throw TestSimulator.Refused(description: "no page: \(answer.status) \(answer.body)") }
        return answer
    }
}

extension TestMailServer {
    /// The settings of a platform that sends its mails here.
    package func settings() throws -> MailSettings {
        try MailSettings(url: "smtp://127.0.0.1:\(port)", sender: "Acme <login@acme.example>")
    }
}

extension TestMailServer.Received {
    /// The link in the text; empty if there is none.
    package var link: String {
        part("plain")?.split(separator: "\n").first { $0.hasPrefix("https://") }.map(String.init) ?? ""
    }
}
