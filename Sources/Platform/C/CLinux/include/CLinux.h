// Linux calls that Swift cannot import, because they are variadic or macros.
#pragma once
#include <sys/eventfd.h>
#include <sys/types.h>

/// `prctl(PR_SET_PDEATHSIG, signal)`: the kernel sends `signal` when the parent thread dies.
int linux_set_parent_death_signal(int signal);

/// Sends one message of `length` bytes with `count` descriptors (`SCM_RIGHTS`) on a Unix socket.
ssize_t linux_send_with_descriptors(
    int socket, const void *bytes, size_t length, const int *descriptors, int count);

/// Receives one message and up to `capacity` descriptors, each with close-on-exec set.
/// `*count` is the number received. A truncated message (`MSG_TRUNC`, `MSG_CTRUNC`) is `EMSGSIZE`.
ssize_t linux_receive_with_descriptors(
    int socket, void *bytes, size_t length, int *descriptors, int capacity, int *count);

/// Opens a new unnamed file (`O_TMPFILE`) in `directory` for reading and writing, mode 0644.
int linux_open_unnamed_file(int directory);

/// Starts a child that writes and flushes an unnamed file in `directory`, and ends; returns its number, or -1. The child
/// has no descriptors but its own and calls nothing that needs a lock, so threads of the caller do not matter to it.
/// First it renames `name` to itself, which changes nothing, for file systems without unnamed files.
pid_t linux_start_touching(const char *directory, const char *name);

/// Gives an unnamed file a name below `directory` (`linkat` of `/proc/self/fd/N`).
int linux_link_unnamed_file(int descriptor, int directory, const char *path);

/// `openat2` with `RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS`: a path that leaves `directory` is `EXDEV`,
/// one through a symbolic link `ELOOP`.
int linux_open_beneath(int directory, const char *path);

/// Waits for a semaphore (`sem_t *`) for at most `milliseconds` of monotonic time: `sem_clockwait`, which glibc shows
/// to GNU sources only.
void linux_wait_for_semaphore(void *semaphore, int milliseconds);

/// Names the calling thread, for `top -H` and `ps -L`; cut to 15 bytes.
void linux_set_thread_name(const char *name);

/// `posix_spawn_file_actions_addchdir_np`, which glibc shows to GNU sources only.
int linux_spawn_change_directory(void *actions, const char *path);

/// `posix_spawn_file_actions_addclosefrom_np`, which glibc shows to GNU sources only.
int linux_spawn_close_from(void *actions, int first);

/// Becomes the user and group `nobody`, if this is root: the kernel does not limit the number of root's processes.
/// Returns 0, or -1 with `errno`.
int linux_leave_root(void);

/// Moves this process into namespaces of its own: a user namespace, a network without devices, and no one's IPC objects.
/// All or nothing: returns 0, or -1 with `errno`. There it may have the right to make a namespace for its children.
int linux_own_namespaces(void);

/// Drops all capabilities of the calling thread, and makes sure that no program it executes gains any
/// (`PR_SET_NO_NEW_PRIVS`). After that, root has hardly more rights than any user.
///
/// - Parameter keeps_namespaces: whether to keep the right to make namespaces (`CAP_SYS_ADMIN`), which is worth
///   nothing outside of its own user namespace.
int linux_give_up_privileges(int keeps_namespaces);

/// Lets no process of the same user read or trace this one.
int linux_forbid_tracing(void);

/// Opens the list of this process's threads, for ``linux_count_threads``. Returns -1 with `errno` without `/proc`.
int linux_open_thread_list(void);

/// The number of threads in a list, or -1 with `errno`.
int linux_count_threads(int list);

/// Installs a seccomp filter of `count` instructions for all threads. Returns 0; -1 with `errno`; or the identifier of a
/// thread that has another filter.
int linux_filter_calls(const void *instructions, int count);

/// Forks a process that has only the calling thread. Its parent is the caller's parent, which gets its exit status.
///
/// The caller must have no other thread. Unlike `fork`, no handler runs. `ENOTSUP` if this C library is unknown.
///
/// - Parameter own_processes: whether the child sees no process but those that it starts, which end with it. It needs
///   the right to make namespaces.
/// - Returns: 0 in the child; in the caller the child's identifier, or -1 with `errno`.
pid_t linux_fork_sibling(int own_processes);

/// Starts `path` in its own process group with default signals, `socket` as descriptor 3,
/// `error_output` as descriptor 2, `/dev/null` as 0 and 1, and all other descriptors closed.
/// Returns 0 or an error number. `*process` is the child.
int linux_spawn_closed(
    const char *path, char *const arguments[], char *const environment[], int socket,
    int error_output, pid_t *process);

/// `pipe2` with `O_CLOEXEC`. Reading from `ends[0]` does not block.
int linux_open_pipe(int ends[2]);

/// Creates a file in memory: `memfd_create` with close-on-exec, which glibc shows to GNU sources only.
int linux_open_memory_file(const char *name);

/// Replaces `descriptor` with a read-only one of the same file. Returns 0 only if the file is then not open or mapped
/// for writing anywhere. The kernel grants a read lease under exactly that condition, and the lease is returned at
/// once. `EAGAIN` if there is a writer; other errors if leases are not supported.
int linux_become_only_reader(int descriptor);

/// The kernel's Landlock version, from 1, or -1 with `errno`: `ENOSYS` or `EOPNOTSUPP` without Landlock.
int linux_landlock_version(void);

/// Applies Landlock to the calling thread and everything it starts. The only file access left is reading below the
/// `count` `readable` paths. If the kernel supports it, TCP (Linux 6.7) and signals and abstract sockets beyond
/// itself (Linux 6.12) are refused too. Paths that do not exist are skipped. Returns 0, or -1 with `errno`.
int linux_landlock(const char *const readable[], int count);

/// The size of `descriptor`'s file, or -1 if it is not a regular file or an error occurs. Unlike `fstat` of some
/// libraries, it uses the system call that takes no path.
off_t linux_regular_file_size(int descriptor);
