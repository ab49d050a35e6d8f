// What an attacker who controls a renderer would try, for tests of the sandbox.
#pragma once

/// Tries `name` on `target` (a path, a port or nothing).
/// Returns 0 if it worked, an error number if the kernel refused, or -1 if `name` is unknown.
int breakout_try(const char *name, const char *target);

/// The name of an error number, such as `EPERM`.
const char *breakout_error_name(int error);
