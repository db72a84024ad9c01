#pragma once
#if !__has_include(<libpq-fe.h>)
#error "PostgreSQL's client headers are missing. On Debian and Ubuntu: apt-get install libpq-dev"
#endif
#include <libpq-fe.h>
