import Access
@testable import AuthKit
import Foundation
import Fuzzing
import Sealing
import Sessions
import Tenancy

extension FuzzTarget {
    private static let session = ID<Session>("session_01ab3d1v3q0000000000000001")!
    private static let application = ID<Tenancy.Application>("app_01ab3d1v3q0000000000000003")!
    private static let proven = WorkOSSessionID(session, of: application).proven(with: .fuzzed)

    static let authKit: [FuzzTarget] = [
        // The seeds end in a MAC, so a text passes only if it is the one that the server made.
        FuzzTarget(
            text: "workos-session-id", upTo: 200,
            seeds: [
                proven, String(proven.dropLast()), proven + "_", session.description, "session_",
                "\(session)\(session.description.suffix(26))",
                "\(session)01ab3d1v3q000000000000000!", "\(session)_AAAA", "session_01ab3d1v3q000000000000000101ab3d1v3q0000000000000003_",
            ]
        ) { text in
            let isProven = WorkOSSessionID(proven: text, with: .fuzzed) != nil
            try hold(isProven == text.isExactly(proven), "\(isProven ? "a forged ID passed" : "the good one did not pass")")
            guard let id = WorkOSSessionID(text) else { return }
            try hold(text.utf8.starts(with: id.text.utf8), "it is read as another ID")
            try hold(WorkOSSessionID(id.text)?.text == id.text, "its text has another meaning")
        },
        FuzzTarget(
            text: "workos-id", upTo: 100,
            seeds: [
                "client_01ab3d1v3q0000000000000003", "app_01ab3d1v3q0000000000000003", "client_client_", "client_", "org_01",
                "\u{0}client_",
                "client_01AB3D1V3Q0000000000000003", "event_01ab3d1v3q0000000000000003",
            ]
        ) { text in
            if let id = WorkOSID.application(text) {
                let forms = [WorkOSID.text(id), id.description]
                try hold(forms.contains { text.isExactly($0) }, "two texts are one ID")
            }
            try hold(WorkOSID.tenant(text).map { WorkOSID.tenant(WorkOSID.text($0)) == $0 } ?? true, "an ID changes")
            if let position = WorkOSEvent.position(text) {
                try hold(text.isExactly(WorkOSEvent.id(position)), "two texts are one event")
                _ = FeedPage.time(of: position)
            }
        },
    ]
}
