// Counts what the system refuses to this process. The libraries that parse photos report such refusals only as texts, or
// as damage of the photo.
#pragma once

/// What the system has refused since the last `faults_forget`.
typedef struct {
    /// Allocations and threads for which there was no memory.
    int allocations, threads;
    /// System calls that the filter does not allow, and the number of the first one.
    int calls, first_call;
} Faults;

Faults faults_seen(void);
void faults_forget(void);

/// Handles `SIGSYS`, which the system call filter raises for each call that it does not allow: counts the call and lets
/// it fail with `EPERM`. Returns 0, or -1 with `errno`.
int faults_catch_refused_calls(void);
