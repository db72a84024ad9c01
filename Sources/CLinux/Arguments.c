#include "include/CLinux.h"

static int argument_count = 0;
static char *const *arguments = 0;

#ifdef __GLIBC__
// glibc passes main's arguments to constructors too. Swift takes the arguments from /proc, which a chroot may lack.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  arguments = values;
}
#endif

int clinux_argument_count(void) { return argument_count; }

const char *clinux_argument(int index) { return index >= 0 && index < argument_count ? arguments[index] : 0; }
