#pragma once
#if !__has_include(<curl/curl.h>)
#error "libcurl's headers are missing. On Debian and Ubuntu: apt-get install libcurl4-openssl-dev"
#endif
// The checks of types are for C programs. They make macros of the functions below.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stdint.h>

// curl_easy_setopt and curl_easy_getinfo take an argument of any type, which Swift cannot pass: a function for each type.

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_size(CURL *handle, CURLoption option, int64_t value) {
  return curl_easy_setopt(handle, option, (curl_off_t)value);
}

/// libcurl copies the text.
static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

/// The list must live until the handle is reset.
static inline CURLcode ccurl_set_fields(CURL *handle, struct curl_slist *fields) {
  return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, fields);
}

/// The buffer has room for CURL_ERROR_SIZE bytes, and must live until the handle is reset.
static inline CURLcode ccurl_set_message_buffer(CURL *handle, char *buffer) {
  return curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, buffer);
}

static inline CURLcode ccurl_begin(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

/// The functions that libcurl calls during a transfer, all with the same context.
static inline int ccurl_set_callbacks(CURL *handle, void *context, curl_read_callback send, curl_seek_callback seek,
                                      curl_write_callback receive_field, curl_write_callback receive_body) {
  return curl_easy_setopt(handle, CURLOPT_READDATA, context) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_READFUNCTION, send) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_SEEKDATA, context) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, seek) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_HEADERDATA, context) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, receive_field) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_WRITEDATA, context) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive_body) == CURLE_OK;
}

/// The options that every transfer has. HTTPClient's EasyHandle says why.
static inline int ccurl_prepare(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
  CURLcode protocols = curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  CURLcode protocols = curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
  return protocols == CURLE_OK && curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_PROXY, "") == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_HTTP_CONTENT_DECODING, 0L) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 1L) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 2L) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK;
}
