#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MAX_DESCRIPTORS = 16 };

int linux_set_parent_death_signal(int signal) { return prctl(PR_SET_PDEATHSIG, signal); }

ssize_t linux_send_with_descriptors(
    int socket, const void *bytes, size_t length, const int *descriptors, int count) {
    if (count < 0 || count > MAX_DESCRIPTORS) {
        errno = EINVAL;
        return -1;
    }
    union {
        char buffer[CMSG_SPACE(MAX_DESCRIPTORS * sizeof(int))];
        struct cmsghdr align;
    } control;
    memset(&control, 0, sizeof control);
    struct iovec body = {.iov_base = (void *)bytes, .iov_len = length};
    struct msghdr message = {.msg_iov = &body, .msg_iovlen = 1};
    if (count > 0) {
        message.msg_control = control.buffer;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(header), descriptors, count * sizeof(int));
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent;
}

ssize_t linux_receive_with_descriptors(
    int socket, void *bytes, size_t length, int *descriptors, int capacity, int *count) {
    *count = 0;
    union {
        char buffer[CMSG_SPACE(MAX_DESCRIPTORS * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec body = {.iov_base = bytes, .iov_len = length};
    struct msghdr message = {
        .msg_iov = &body,
        .msg_iovlen = 1,
        .msg_control = control.buffer,
        .msg_controllen = sizeof control.buffer,
    };
    ssize_t received;
    do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    if (received < 0) return -1;
    int truncated = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        int held = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        for (int i = 0; i < held; i++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + i * sizeof(int), sizeof descriptor);
            if (truncated || *count >= capacity)
                close(descriptor);
            else
                descriptors[(*count)++] = descriptor;
        }
    }
    if (truncated) {
        for (int i = 0; i < *count; i++) close(descriptors[i]);
        *count = 0;
        errno = EMSGSIZE;
        return -1;
    }
    return received;
}

int linux_open_unnamed_file(int directory) {
    return openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
}

pid_t linux_start_touching(const char *directory, const char *name) {
    pid_t child = fork();
    if (child != 0) return child;
    static const char page[4096];
    close_range(0, ~0U, 0);
    rename(name, name);
    int file = open(directory, O_TMPFILE | O_RDWR, 0600);
    if (file >= 0 && write(file, page, sizeof page) == (ssize_t)sizeof page) fsync(file);
    _exit(0);
}

int linux_link_unnamed_file(int descriptor, int directory, const char *path) {
    char source[32];
    snprintf(source, sizeof source, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, source, directory, path, AT_SYMLINK_FOLLOW);
}

int linux_open_beneath(int directory, const char *path) {
    struct open_how how = {
        .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

void linux_wait_for_semaphore(void *semaphore, int milliseconds) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += milliseconds / 1000;
    end.tv_nsec += milliseconds % 1000 * 1000000L;
    if (end.tv_nsec >= 1000000000) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000;
    }
    while (sem_clockwait(semaphore, CLOCK_MONOTONIC, &end) != 0 && errno == EINTR) {}
}

void linux_set_thread_name(const char *name) { prctl(PR_SET_NAME, name); }

int linux_spawn_change_directory(void *actions, const char *path) {
    return posix_spawn_file_actions_addchdir_np(actions, path);
}

int linux_spawn_close_from(void *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int linux_spawn_closed(
    const char *path, char *const arguments[], char *const environment[], int socket,
    int error_output, pid_t *process) {
    // Copy above the targets, so that no dup2 below overwrites a source that is still needed.
    int first = fcntl(socket, F_DUPFD_CLOEXEC, 10);
    int second = fcntl(error_output, F_DUPFD_CLOEXEC, 10);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, second, 2);
    posix_spawn_file_actions_adddup2(&actions, first, 3);
    posix_spawn_file_actions_addclosefrom_np(&actions, 4);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    int error = first < 0 || second < 0
        ? errno
        : posix_spawn(process, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (first >= 0) close(first);
    if (second >= 0) close(second);
    return error;
}

int linux_open_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    return fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

int linux_open_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int linux_become_only_reader(int descriptor) {
    char source[32];
    snprintf(source, sizeof source, "/proc/self/fd/%d", descriptor);
    int reader = open(source, O_RDONLY | O_CLOEXEC);
    if (reader < 0) return -1;
    int result = dup3(reader, descriptor, O_CLOEXEC);
    close(reader);
    if (result < 0) return -1;
    if (fcntl(descriptor, F_SETLEASE, F_RDLCK) < 0) return -1;
    return fcntl(descriptor, F_SETLEASE, F_UNLCK);
}

// As in <linux/landlock.h> of Linux 6.12, because Debian's header is older.
struct landlock_ruleset {
    uint64_t handled_access_fs, handled_access_net, scoped;
};
struct landlock_directory {
    uint64_t allowed_access;
    int32_t parent;
} __attribute__((packed));

enum {
    LANDLOCK_READ_FILE = 1 << 2,
    LANDLOCK_READ_DIRECTORY = 1 << 3,
    LANDLOCK_PATH_BENEATH = 1,
    LANDLOCK_VERSION_FLAG = 1,
};

int linux_landlock_version(void) {
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION_FLAG);
}

int linux_landlock(const char *const readable[], int count) {
    int version = linux_landlock_version();
    if (version < 0) return -1;
    // Version 1 has 13 file rights. Versions 2, 3 and 5 added refer, truncate and ioctl.
    int rights = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
    struct landlock_ruleset ruleset = {
        .handled_access_fs = (1ull << rights) - 1,
        .handled_access_net = version >= 4 ? 3 : 0,
        .scoped = version >= 6 ? 3 : 0,
    };
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &ruleset, size, 0);
    if (rules < 0) return -1;
    int result = 0;
    for (int i = 0; i < count && result == 0; i++) {
        struct landlock_directory directory = {LANDLOCK_READ_FILE | LANDLOCK_READ_DIRECTORY, -1};
        directory.parent = open(readable[i], O_PATH | O_CLOEXEC);
        if (directory.parent < 0) continue;
        result = (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_PATH_BENEATH, &directory, 0);
        if (result != 0 && errno == EINVAL) {
            // Files do not have the rights of directories.
            directory.allowed_access = LANDLOCK_READ_FILE;
            result = (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_PATH_BENEATH, &directory, 0);
        }
        close(directory.parent);
    }
    if (result == 0) result = (int)syscall(SYS_landlock_restrict_self, rules, 0);
    int error = errno;
    close(rules);
    errno = error;
    return result;
}

off_t linux_regular_file_size(int descriptor) {
    struct stat status;
    // On 64-bit architectures the kernel and the C library use the same structure.
    if (syscall(SYS_fstat, descriptor, &status) != 0) return -1;
    if (!S_ISREG(status.st_mode)) {
        errno = EINVAL;
        return -1;
    }
    return status.st_size;
}
