// Lets system calls on files fail as a bad disk would, in a program that is started with LD_PRELOAD naming this
// library and FAULTS naming a file. While there is such a file, each of its lines is a fault:
//
//   CALL ERRNO TIMES PATTERN
//
// CALL is read (pread too), write (pwrite too), sync (fsync, fdatasync), open (for writing only), link, rename, unlink,
// mkdir, rmdir or truncate; PATTERN is a glob (fnmatch(3), where * takes in slashes) of the file's path; TIMES is how often it
// happens, or -1; and ERRNO is a number, 0 for a write of only half of the bytes. The file is to be replaced as a whole
// (rename(2)); its faults are counted anew when its text changes.
//
// With the call "kill", ERRNO is how many calls on such files go well that change names, lengths or the disk: open, link,
// rename, unlink, mkdir, rmdir, truncate and sync. Before the next one, SIGKILL ends the process.
//
// A sync that is made to fail has not been done: what was written is lost if the machine were to lose its power then.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { most_faults = 8, most_text = 2048, most_path = 4096 };

struct fault {
  char call[16];
  char pattern[256];
  int number;
  long left;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char known_text[most_text];
static struct fault faults[most_faults];
static int fault_count;

// The library's own look at a file must not be subject to faults: these are bare system calls.
static int read_plan(const char *path, char *text) {
  int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (descriptor < 0) return 0;
  long count = syscall(SYS_read, descriptor, text, most_text - 1);
  syscall(SYS_close, descriptor);
  text[count > 0 ? count : 0] = 0;
  return count > 0;
}

static void parse(const char *text) {
  strcpy(known_text, text);
  fault_count = 0;
  while (*text && fault_count < most_faults) {
    struct fault *fault = &faults[fault_count];
    if (sscanf(text, "%15s %d %ld %255s", fault->call, &fault->number, &fault->left, fault->pattern) == 4) fault_count++;
    const char *end = strchr(text, '\n');
    if (!end) break;
    text = end + 1;
  }
}

// The errno that a call is to fail with, 0 for a short write, -1 for no fault. Keeps errno.
static int chosen(const char *call, const char *path, int descriptor) {
  const char *plan = getenv("FAULTS");
  if (!plan) return -1;
  int saved = errno, number = -1;
  char text[most_text], link[64], target[most_path];
  if (!read_plan(plan, text)) {
    errno = saved;
    return -1;
  }
  if (!path) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    long count = syscall(SYS_readlinkat, AT_FDCWD, link, target, sizeof target - 1);
    target[count > 0 ? count : 0] = 0;
    path = target;
  }
  pthread_mutex_lock(&lock);
  if (strcmp(text, known_text) != 0) parse(text);
  for (int i = 0; i < fault_count; i++) {
    struct fault *fault = &faults[i];
    int isKill = strcmp(fault->call, "kill") == 0 && strcmp(call, "read") != 0 && strcmp(call, "write") != 0;
    if (isKill && fnmatch(fault->pattern, path, 0) == 0 && fault->number-- == 0) kill(getpid(), SIGKILL);
    if (strcmp(fault->call, call) != 0 || fault->left == 0 || fnmatch(fault->pattern, path, 0) != 0) continue;
    if (fault->left > 0) fault->left--;
    number = fault->number;
    break;
  }
  pthread_mutex_unlock(&lock);
  errno = saved;
  return number;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define FAIL_IF_CHOSEN(call, path, descriptor)      \
  do {                                              \
    int number = chosen(call, path, descriptor);    \
    if (number > 0) {                               \
      errno = number;                               \
      return -1;                                    \
    }                                               \
  } while (0)

// Sets count to what is to be written, or returns from the caller.
#define SHORTEN_OR_FAIL(descriptor, count)             \
  do {                                                 \
    int number = chosen("write", NULL, descriptor);    \
    if (number > 0) {                                  \
      errno = number;                                  \
      return -1;                                       \
    }                                                  \
    if (number == 0 && count > 1) count /= 2;          \
  } while (0)

ssize_t read(int descriptor, void *bytes, size_t count) {
  FAIL_IF_CHOSEN("read", NULL, descriptor);
  return syscall(SYS_read, descriptor, bytes, count);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
  FAIL_IF_CHOSEN("read", NULL, descriptor);
  return syscall(SYS_pread64, descriptor, bytes, count, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
  FAIL_IF_CHOSEN("read", NULL, descriptor);
  return syscall(SYS_pread64, descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  SHORTEN_OR_FAIL(descriptor, count);
  return syscall(SYS_write, descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  SHORTEN_OR_FAIL(descriptor, count);
  return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  SHORTEN_OR_FAIL(descriptor, count);
  return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

int fsync(int descriptor) {
  FAIL_IF_CHOSEN("sync", NULL, descriptor);
  return (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
  FAIL_IF_CHOSEN("sync", NULL, descriptor);
  return (int)syscall(SYS_fdatasync, descriptor);
}

static int open_any(const char *path, int flags, int mode) {
  if ((flags & O_ACCMODE) != O_RDONLY) FAIL_IF_CHOSEN("open", path, -1);
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

#define MODE_OF(flags, mode)                                   \
  do {                                                         \
    if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) { \
      va_list arguments;                                       \
      va_start(arguments, flags);                              \
      mode = va_arg(arguments, int);                           \
      va_end(arguments);                                       \
    }                                                          \
  } while (0)

int open(const char *path, int flags, ...) {
  int mode = 0;
  MODE_OF(flags, mode);
  return open_any(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  int mode = 0;
  MODE_OF(flags, mode);
  return open_any(path, flags, mode);
}

int link(const char *path, const char *new_path) {
  FAIL_IF_CHOSEN("link", new_path, -1);
  return (int)syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, new_path, 0);
}

int rename(const char *path, const char *new_path) {
  FAIL_IF_CHOSEN("rename", new_path, -1);
  return REAL(rename)(path, new_path);
}

int renameat2(int folder, const char *path, int new_folder, const char *new_path, unsigned flags) {
  FAIL_IF_CHOSEN("rename", new_path, -1);
  return (int)syscall(SYS_renameat2, folder, path, new_folder, new_path, flags);
}

int rmdir(const char *path) {
  FAIL_IF_CHOSEN("rmdir", path, -1);
  return (int)syscall(SYS_rmdir, path);
}

int unlink(const char *path) {
  FAIL_IF_CHOSEN("unlink", path, -1);
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int mkdir(const char *path, mode_t mode) {
  FAIL_IF_CHOSEN("mkdir", path, -1);
  return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int ftruncate(int descriptor, off_t length) {
  FAIL_IF_CHOSEN("truncate", NULL, descriptor);
  return (int)syscall(SYS_ftruncate, descriptor, length);
}

int ftruncate64(int descriptor, off64_t length) {
  FAIL_IF_CHOSEN("truncate", NULL, descriptor);
  return (int)syscall(SYS_ftruncate, descriptor, length);
}
