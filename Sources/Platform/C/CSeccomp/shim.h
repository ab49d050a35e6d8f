#pragma once
#include <errno.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/prctl.h>

// Macros that Swift cannot import.
static const uint32_t seccomp_action_allow = SCMP_ACT_ALLOW;
static const uint32_t seccomp_action_refuse = SCMP_ACT_TRAP;
/// For calls that glibc replaces with older ones if the kernel does not know them.
static const uint32_t seccomp_action_unknown = SCMP_ACT_ERRNO(ENOSYS);
static const uint32_t seccomp_native = SCMP_ARCH_NATIVE;
static const uint64_t seccomp_set_name = PR_SET_NAME;
static const uint64_t seccomp_clone_thread = CLONE_THREAD;
