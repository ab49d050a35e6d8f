// Options and facts of a transfer: curl's own functions for them are variadic, and Swift imports no such function.
#pragma once
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

typedef size_t (*curl_shim_data)(char *bytes, size_t size, size_t count, void *context);
typedef int (*curl_shim_seek)(void *context, curl_off_t offset, int origin);

static inline CURLcode curl_shim_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_shim_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

/// Curl copies the text.
static inline CURLcode curl_shim_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_shim_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

/// The list must live as long as the handle.
static inline CURLcode curl_shim_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

/// For bytes to send, bytes that came, and headers that came.
static inline CURLcode curl_shim_set_data(CURL *handle, CURLoption option, curl_shim_data value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_shim_set_seek(CURL *handle, curl_shim_seek value) {
    return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, value);
}

static inline CURLcode curl_shim_get_long(CURL *handle, CURLINFO fact, long *value) {
    return curl_easy_getinfo(handle, fact, value);
}

static inline CURLcode curl_shim_get_offset(CURL *handle, CURLINFO fact, curl_off_t *value) {
    return curl_easy_getinfo(handle, fact, value);
}

/// The outcome that a `CURLMSG_DONE` tells.
static inline CURLcode curl_shim_result(const CURLMsg *message) { return message->data.result; }
