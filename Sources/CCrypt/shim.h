#pragma once
#if !__has_include(<crypt.h>)
#error "libxcrypt's headers are missing. On Debian and Ubuntu: apt-get install libsqlite3-dev libssl-dev libcrypt-dev"
#endif
#include <crypt.h>
