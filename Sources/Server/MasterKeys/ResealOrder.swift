import Foundation
import Sealing

/// The order of ESPALIER_MASTER_KEYS that `reseal` requires at every server.
struct ResealOrder {
    let newest: KeyID
    let older: [KeyID]

    /// Requires the newest key first at every server. A server without this key cannot open the values that are sealed again. A server
    /// with an older key first continues to seal under that key.
    /// - Throws: `Settings.Refusal` with the step of docs/master-keys.md that comes first.
    func require(_ known: [KnownMasterKey], at now: Date) throws(Settings.Refusal) {
        let missing = known.filter { $0.isNeeded && $0.id != newest && !older.contains($0.id) }.map(\.id.description)
        guard missing.isEmpty else {
            throw Settings.Refusal(
                description:
                    "ESPALIER_MASTER_KEYS lacks a key that is still needed: \(missing.joined(separator: ", ")). Data is sealed under it, "
                    + "or a server had it first in the last 3 minutes. Add it after the others, separated by a comma. If you no longer have it, see \"If a key is lost\" in docs/master-keys.md."
            )
        }
        guard known.contains(where: { $0.id == newest && $0.sealingAt != nil }) else {
            let first =
                older.isEmpty
                ? "Start the servers with it first."
                : "First restart every server with the keys in the order \(Self.list(older + [newest])). Then restart every server with the "
                    + "keys in the order \(Self.list([newest] + older)), wait 3 minutes, and run this command."
            throw Settings.Refusal(description: "No server has had the key \(newest) first yet. \(first)")
        }
        let others = known.filter { $0.id != newest && $0.silentAt.map { now <= $0 } ?? false }
        guard let other = others.max(by: { $0.sealingAt! < $1.sealingAt! }), let noted = other.sealingAt, let end = other.silentAt else {
            return
        }
        throw Settings.Refusal(
            description:
                "A server had the key \(other.id) first at \(noted.formatted(.iso8601)). This command moves all data to the first key in "
                + "ESPALIER_MASTER_KEYS, which is \(newest). If every server has \(newest) first, run the command from "
                + "\(Self.nextSecond(end).formatted(.iso8601)). If not, restart every server with the keys in the order "
                + "\(Self.list([newest] + older)) first.")
    }

    private static func list(_ keys: [KeyID]) -> String { keys.map(\.description).joined(separator: ",") }

    /// The texts have whole seconds.
    private static func nextSecond(_ date: Date) -> Date {
        Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down) + 1)
    }
}
