import Foundation

/// A folder's lock file, locked by this process. The kernel unlocks it when the process ends for any reason.
struct FolderLock: ~Copyable {
    private let file: Int32

    /// - Throws: `.inUse` if another process, or another value in this process, has the lock.
    init(path: String, folder: String) throws {
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw EmbeddedPostgresError.notWritable(folder: folder, errno: errno) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            close(file)
            throw EmbeddedPostgresError.inUse(folder: folder)
        }
    }

    deinit {
        // Closing the file is not enough while a child process between fork and exec has a copy of the descriptor.
        flock(file, LOCK_UN)
        close(file)
    }
}
