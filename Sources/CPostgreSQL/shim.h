#pragma once
// Debian and Ubuntu have the headers in a folder of their own, where they find each other.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#error "PostgreSQL's client headers are missing. On Debian and Ubuntu: apt-get install libpq-dev"
#endif
