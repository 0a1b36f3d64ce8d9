/// Why a private cluster cannot be had, and what to do about it.
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
            "PostgreSQL was not found, neither in PATH nor in /usr/lib/postgresql/*/bin. Install it: apt-get install postgresql"
        case .missingTool(let tool, let package):
            "\(tool) was not found. Install it: apt-get install \(package)"
        case .wrongVersion(let data, let needs, let found):
            "\(data) was made by PostgreSQL \(needs), and only \(found.joined(separator: ", ")) is here. "
                + "Install postgresql-\(needs), or move the folder away to begin anew."
        case .inUse(let folder):
            "\(folder) is in use by another process. Stop it, or choose another folder."
        case .notWritable(let folder, let errno):
            "\(folder) cannot be written (errno \(errno))."
        case .commandFailed(let command, let output):
            "\(command) failed: \(output)"
        case .serverFailed(let log, let lastLines):
            "The PostgreSQL server did not start. The end of \(log):\n\(lastLines)"
        case .serverDoesNotStop(let data):
            "A PostgreSQL server still runs in \(data) and does not stop. End it, then start again."
        }
    }
}
