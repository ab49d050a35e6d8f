#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NOBODY = 65534 };

int linux_leave_root(void) {
    if (geteuid() != 0) return 0;
    if (setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0) return -1;
    return setresuid(NOBODY, NOBODY, NOBODY);
}

int linux_own_namespaces(void) {
    return unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC);
}

int linux_give_up_privileges(int keeps_namespaces) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct kept[2] = {{0}};
    if (keeps_namespaces) kept[0].effective = kept[0].permitted = 1u << CAP_SYS_ADMIN;
    return (int)syscall(SYS_capset, &header, kept);
}

int linux_forbid_tracing(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int linux_open_thread_list(void) { return open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

int linux_count_threads(int list) {
    struct stat status;
    // Each thread is a directory, and each directory has a link to the one above. The call takes no path.
    return syscall(SYS_fstat, list, &status) == 0 ? (int)status.st_nlink - 2 : -1;
}

int linux_filter_calls(const void *instructions, int count) {
    struct sock_fprog program = {(unsigned short)count, (struct sock_filter *)instructions};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

// glibc keeps the number of each thread next to the thread's other data, and says of no function where.
static pid_t *own_number(void) {
    pid_t number = gettid();
    pid_t *field = (pid_t *)pthread_self();
    for (int i = 0; i < 256; i++)
        if (field[i] == number) return &field[i];
    return NULL;
}

// Whether glibc takes this thread for the one that it is. A recursive lock notes its owner's number.
static int knows_own_number(void) {
    pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    pthread_mutex_lock(&lock);
    int result = lock.__data.__owner == gettid();
    pthread_mutex_unlock(&lock);
    return result;
}

pid_t linux_fork_sibling(int own_processes) {
    pid_t *number = own_number();
    if (!number) {
        errno = ENOTSUP;
        return -1;
    }
    unsigned long flags = SIGCHLD | CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
    if (own_processes) flags |= CLONE_NEWPID;
#if defined(__x86_64__)
    long child = syscall(SYS_clone, flags, NULL, NULL, number, 0);
#elif defined(__aarch64__)
    long child = syscall(SYS_clone, flags, NULL, NULL, 0, number);
#else
#error "Say in which order this processor takes the arguments of clone."
#endif
    if (child == 0 && !knows_own_number()) _exit(120);
    return (pid_t)child;
}
