/// The reason why a private cluster is unavailable, and the next step.
package enum EmbeddedPostgresError: Error, CustomStringConvertible {
    case missingPostgres
    case missingTool(String, package: String)
    case wrongVersion(data: String, needs: String, found: [String])
    case inUse(folder: String)
    case notWritable(folder: String, errno: Int32)
    case commandFailed(String, output: String)
    case serverFailed(log: String, lastLines: String)
    case serverDoesNotStop(data: String)

    package var description: String {
        switch self {
        case .missingPostgres:
            "PostgreSQL was not found in PATH or in /usr/lib/postgresql/*/bin. Install it: apt-get install postgresql"
        case .missingTool(let tool, let package):
            "\(tool) was not found. Install it: apt-get install \(package)"
        case .wrongVersion(let data, let needs, let found):
            "\(data) was created by PostgreSQL \(needs), but only \(found.joined(separator: ", ")) is installed. "
                + "Install postgresql-\(needs), or move the folder to start with an empty cluster."
        case .inUse(let folder):
            "\(folder) is in use by another process. Stop it, or choose another folder."
        case .notWritable(let folder, let errno):
            "\(folder) is not writable (errno \(errno)). Check its owner and permissions."
        case .commandFailed(let command, let output):
            "\(command) failed: \(output)"
        case .serverFailed(let log, let lastLines):
            "The PostgreSQL server did not start. The end of \(log):\n\(lastLines)"
        case .serverDoesNotStop(let data):
            "A PostgreSQL server still runs in \(data) and does not stop. End it, then start again."
        }
    }
}
