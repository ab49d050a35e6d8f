#define _GNU_SOURCE
#include "CFaults.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

static atomic_int allocations, threads, calls, first_call;

Faults faults_seen(void) {
    return (Faults){
        .allocations = allocations, .threads = threads, .calls = calls, .first_call = first_call};
}

void faults_forget(void) { allocations = threads = calls = first_call = 0; }

// A program's own definitions of these functions replace those of the C library, in all libraries too.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static void *counted(void *result) {
    if (!result) allocations++;
    return result;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }

void *realloc(void *old, size_t size) {
    void *new = __libc_realloc(old, size);
    // To size 0, it frees the old block and returns nothing.
    return size ? counted(new) : new;
}

void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) || !alignment || alignment & (alignment - 1)) return EINVAL;
    void *block = memalign(alignment, size);
    if (!block) return ENOMEM;
    *result = block;
    return 0;
}

int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    static int (*_Atomic next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!next) next = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
        RTLD_NEXT, "pthread_create");
    int error = next(thread, attributes, run, argument);
    if (error) threads++;
    return error;
}

static void refuse(int signal, siginfo_t *info, void *context) {
    if (calls++ == 0) first_call = info->si_syscall;
    mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
    machine->gregs[REG_RAX] = -EPERM;
#elif defined(__aarch64__)
    machine->regs[0] = -EPERM;
#else
#error "Say where this processor keeps the result of a system call."
#endif
}

int faults_catch_refused_calls(void) {
    struct sigaction action = {.sa_sigaction = refuse, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    return sigaction(SIGSYS, &action, NULL);
}
