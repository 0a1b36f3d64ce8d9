import NIOCore

/// Runs the tasks of a connection on the event loop of the connection.
///
/// Otherwise, each read, each write and each answer of the database costs a switch between threads. Work that blocks or that takes long must
/// not run here, because the other connections of the loop wait for it.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
