#define _GNU_SOURCE
#include "CBreakout.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int outcome(long result) { return result < 0 ? errno : 0; }

static int read_file(const char *path) {
    int file = open(path, O_RDONLY);
    char byte;
    return outcome(file < 0 ? file : read(file, &byte, 1));
}

static int write_file(const char *path) { return outcome(open(path, O_WRONLY | O_CREAT, 0600)); }

static int look_at_path(const char *path) {
    struct stat status;
    return outcome(stat(path, &status));
}

static int connect_tcp(const char *port) {
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    if (descriptor < 0) return errno;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(atoi(port)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return outcome(connect(descriptor, (struct sockaddr *)&address, sizeof address));
}

static int connect_unix(const char *path) {
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (descriptor < 0) return errno;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    return outcome(connect(descriptor, (struct sockaddr *)&address, sizeof address));
}

static int execute(const char *reply) {
    // The new program itself reports that it runs.
    char *const arguments[] = {"sh", "-c", "printf %s \"$0\" >&3", (char *)reply, NULL};
    execve("/bin/sh", arguments, (char *const[]){NULL});
    return errno;
}

static int fork_child(const char *unused) {
    pid_t child = fork();
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, NULL, 0);
    return outcome(child);
}

static int trace(const char *process) {
    long result = ptrace(PTRACE_SEIZE, atoi(process), 0, 0);
    if (result == 0) ptrace(PTRACE_DETACH, atoi(process), 0, 0);
    return outcome(result);
}

static int read_memory(const char *process) {
    // Nothing is mapped there, so the kernel returns EFAULT if it allows the call at all.
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)4096, 1};
    long result = process_vm_readv(atoi(process), &here, 1, &there, 1, 0);
    return result < 0 && errno != EFAULT ? errno : 0;
}

static int send_signal(const char *process) { return outcome(kill(atoi(process), 0)); }

static int limit_other(const char *process) {
    struct rlimit none = {0, 0};
    // Of the processes that it may not start; it changes nothing for one that starts none.
    return outcome(prlimit(atoi(process), RLIMIT_MSGQUEUE, &none, NULL));
}

static int attach_memory(const char *segment) {
    return shmat(atoi(segment), NULL, SHM_RDONLY) == (void *)-1 ? errno : 0;
}

static int connect_abstract(const char *name) {
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (descriptor < 0) return errno;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path + 1, name, sizeof address.sun_path - 2);
    socklen_t length = offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name);
    return outcome(connect(descriptor, (struct sockaddr *)&address, length));
}

// Whether there is a descriptor next to the standard ones, the socket, and those of the photo that came last.
static int find_descriptor(const char *photo) {
    int input, output;
    sscanf(photo, "%d %d", &input, &output);
    struct stat status;
    for (int descriptor = 4; descriptor < 1024; descriptor++)
        if (descriptor != input && descriptor != output && fstat(descriptor, &status) == 0) return 0;
    return EBADF;
}

static int new_namespace(const char *unused) { return outcome(unshare(CLONE_FILES | CLONE_NEWUSER)); }

static int make_ring(const char *unused) {
    char parameters[120] = {0};
    return outcome(syscall(SYS_io_uring_setup, 1, parameters));
}

static int send_elsewhere(const char *unused) {
    // A message on a descriptor other than its own, here one that is not a socket.
    struct msghdr message = {0};
    long result = sendmsg(2, &message, 0);
    return result < 0 && errno != ENOTSOCK ? errno : 0;
}

static int fill_memory(const char *megabytes) {
    size_t piece = 64 << 20;
    for (long filled = 0; filled < atol(megabytes); filled += 64) {
        // The memory is reserved but not touched, because the limit is on addresses.
        if (mmap(NULL, piece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
            == MAP_FAILED)
            return errno;
    }
    return 0;
}

static int raise_limit(const char *unused) {
    struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
    return outcome(setrlimit(RLIMIT_AS, &unlimited));
}

static int write_much(const char *target) {
    int output, megabytes;
    sscanf(target, "%d %d", &output, &megabytes);
    return outcome(pwrite(output, "x", 1, (off_t)megabytes << 20));
}

static int spin(const char *seconds) {
    struct timespec used;
    volatile unsigned long count = 0;
    do {
        for (int i = 0; i < 1000000; i++) count++;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    } while (used.tv_sec < atol(seconds));
    return 0;
}

static pthread_barrier_t all_started;

static void *idle(void *unused) {
    pthread_barrier_wait(&all_started);
    return NULL;
}

// Has so many threads at once.
static int start_threads(const char *count) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    pthread_barrier_init(&all_started, NULL, atoi(count) + 1);
    for (int i = 0; i < atoi(count); i++) {
        pthread_t thread;
        int error = pthread_create(&thread, &small, idle, NULL);
        if (error) return error;
    }
    pthread_barrier_wait(&all_started);
    return 0;
}

int breakout_try(const char *name, const char *target) {
    const struct {
        const char *name;
        int (*attempt)(const char *);
    } attempts[] = {
        {"read-file", read_file},       {"write-file", write_file},       {"look-at-path", look_at_path},
        {"connect-tcp", connect_tcp},   {"connect-unix", connect_unix},   {"connect-abstract", connect_abstract},
        {"execute", execute},           {"fork", fork_child},             {"trace", trace},
        {"read-memory", read_memory},   {"send-signal", send_signal},     {"limit-other", limit_other},
        {"attach-memory", attach_memory}, {"find-descriptor", find_descriptor}, {"new-namespace", new_namespace},
        {"make-ring", make_ring},       {"send-elsewhere", send_elsewhere}, {"fill-memory", fill_memory},
        {"raise-limit", raise_limit},   {"write-much", write_much},       {"spin", spin},
        {"start-threads", start_threads},
    };
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++)
        if (strcmp(name, attempts[i].name) == 0) return attempts[i].attempt(target);
    return -1;
}

const char *breakout_error_name(int error) {
    const char *name = strerrorname_np(error);
    return name ? name : "unknown";
}
