import CommandSupport
import Glibc
import MediaStore

/// How many open files a worker may need at once.
///
/// Each figure is a bound; `OpenFilesTests` runs a worker that may open no more than their sum.
struct OpenFiles {
    /// Jobs at once that render a photo.
    var photoJobs: Int
    /// Other jobs at once.
    var otherJobs: Int
    /// Renditions of one photo.
    var renditions: Int
    var renderers: Int
    var connections: Int
    var servesHTTP: Bool

    var need: Int {
        // Standard streams, signals, the media directory, Swift's runtime, and what the system opens for a moment.
        32
            // The original, and each rendition with the directory that it goes to.
            + photoJobs * (1 + 2 * renditions)
            // A directory that is read, and one below it.
            + otherJobs * 4
            // The store's directory, and one within another.
            + FileThreads.sharedCount * FileThreads.directoriesAtOnce
            // A socket and a pipe for the zygote, the renderer and the next one; while one starts, also its ends.
            + renderers * 8
            // A socket, what wakes its thread, and a second socket to cancel a query.
            + connections * 3
            // `HTTPServer` serves 64 connections.
            + (servesHTTP ? 70 : 0)
    }

    /// Raises the limit of this process as far as it may, and checks that it is enough.
    ///
    /// A worker that runs out of open files cannot even say so, because the system's libraries abort the process.
    func require() throws {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        if limit.rlim_cur < limit.rlim_max {
            let before = limit.rlim_cur
            limit.rlim_cur = limit.rlim_max
            if setrlimit(resource, &limit) != 0 { limit.rlim_cur = before }
        }
        guard limit.rlim_cur < need else { return }
        throw CommandError(
            "this worker may need \(need) open files at once, but its limit is \(limit.rlim_cur). Raise the limit: "
                + "'ulimit -n \(need)' in the shell that starts it, or LimitNOFILE=\(need) under systemd. "
                + "Or use fewer jobs at once (--concurrency), --renderers or --connections.")
    }
}
