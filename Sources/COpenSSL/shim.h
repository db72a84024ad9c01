#pragma once
#if !__has_include(<openssl/ssl.h>)
#error "OpenSSL's headers are missing. On Debian and Ubuntu: apt-get install libsqlite3-dev libssl-dev libcrypt-dev"
#endif
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// What libssl has as macros, which Swift cannot call.

/// The modes and options of a server's context. HTTPServer's TLSContext says why.
static inline int copenssl_prepare_server(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1;
}

static inline int copenssl_set_groups(SSL_CTX *context, const char *groups) {
  return (int)SSL_CTX_set1_groups_list(context, groups);
}

static inline int copenssl_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
  return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline void copenssl_set_host_name(SSL *session, const char *name) { SSL_set_tlsext_host_name(session, name); }

/// Prepares HMAC-SHA-256. Here because the parameters point to their names.
static inline int copenssl_set_mac_key(EVP_MAC_CTX *context, const unsigned char *key, size_t length) {
  OSSL_PARAM parameters[3] = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)key, length),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
      OSSL_PARAM_construct_end(),
  };
  return EVP_MAC_CTX_set_params(context, parameters);
}

static inline int copenssl_alert(int level, int description) { return level << 8 | description; }
