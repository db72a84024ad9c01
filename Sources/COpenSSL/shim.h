#pragma once
#if !__has_include(<openssl/crypto.h>)
#error "OpenSSL's headers are missing. On Debian and Ubuntu: apt-get install libsqlite3-dev libssl-dev libcrypt-dev"
#endif
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
