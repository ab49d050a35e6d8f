// What code that took over a renderer would try. For tests of the sandbox.
#pragma once

/// Tries `name` on `target` (a path, a port or nothing).
/// Returns 0 where it worked, an error number where the kernel refused, -1 where `name` is unknown.
int breakout_try(const char *name, const char *target);

/// `EPERM` and the like.
const char *breakout_error_name(int error);
