// The wrappers of CLinux.h, which says what each does.

// For accept4, memmem, pthread_setname_np, strptime and F_OFD_SETLK. Not in the header: a module must see the system's types as Glibc's module does.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { MOST_EVENTS = 256 };

int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int add(int epoll, int descriptor, uint64_t token, uint32_t events) {
  struct epoll_event event = {.events = events, .data = {.u64 = token}};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int clinux_epoll_add_edge(int epoll, int descriptor, uint64_t token) {
  return add(epoll, descriptor, token, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
}

int clinux_epoll_add_level(int epoll, int descriptor, uint64_t token) {
  return add(epoll, descriptor, token, EPOLLIN);
}

int clinux_epoll_remove(int epoll, int descriptor) { return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, 0); }

int clinux_epoll_wait(int epoll, clinux_event *events, int capacity, int timeout) {
  struct epoll_event found[MOST_EVENTS];
  int count = epoll_wait(epoll, found, capacity < MOST_EVENTS ? capacity : MOST_EVENTS, timeout);
  for (int i = 0; i < count; i++) {
    events[i].token = found[i].data.u64;
    events[i].events = found[i].events;
  }
  return count;
}

int clinux_accept(int listener, struct sockaddr_storage *address) {
  socklen_t length = sizeof *address;
  return accept4(listener, (struct sockaddr *)address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

ssize_t clinux_sendfile(int socket, int file, int64_t *offset, size_t count) {
  off_t position = (off_t)*offset;
  ssize_t sent = sendfile(socket, file, &position, count);
  *offset = (int64_t)position;
  return sent;
}

ssize_t clinux_send(int socket, const void *bytes, size_t count, int more) {
  return send(socket, bytes, count, MSG_NOSIGNAL | (more ? MSG_MORE : 0));
}

ssize_t clinux_send_two(int socket, const void *first, size_t first_count, const void *second, size_t second_count,
                        int more) {
  struct iovec parts[2] = {{(void *)first, first_count}, {(void *)second, second_count}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  return sendmsg(socket, &message, MSG_NOSIGNAL | (more ? MSG_MORE : 0));
}

int clinux_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

void clinux_lower_priority(int niceness) {
  // On Linux this is the thread's own. To be nicer is always allowed.
  if (niceness > 0) setpriority(PRIO_PROCESS, 0, niceness);
}

void clinux_return_unused_memory(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

size_t clinux_allocated_bytes(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

void clinux_map_large_allocations(int bytes) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, bytes);
  mallopt(M_TRIM_THRESHOLD, 8 * bytes);
#else
  (void)bytes;
#endif
}

void clinux_name_thread(const char *name) {
  char cut[16] = {0};
  strncpy(cut, name, sizeof cut - 1);
  pthread_setname_np(pthread_self(), cut);
}

int clinux_pidfd_open(int process) {
  return (int)syscall(SYS_pidfd_open, process, 0);
}

static int set_lock(int descriptor, short type) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
  return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int clinux_lock_file(int descriptor) { return set_lock(descriptor, F_WRLCK); }

int clinux_unlock_file(int descriptor) { return set_lock(descriptor, F_UNLCK); }

int clinux_rename_without_replacing(const char *path, const char *new_path) {
  if (renameat2(AT_FDCWD, path, AT_FDCWD, new_path, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) return -1;
  struct stat status;
  if (lstat(new_path, &status) == 0) {
    errno = EEXIST;
    return -1;
  }
  return errno == ENOENT ? rename(path, new_path) : -1;
}

int clinux_is_on_overlay(const char *path) {
  struct statfs status;
  return statfs(path, &status) == 0 && (uint32_t)status.f_type == 0x794c7630;
}

const char *clinux_remote_file_system(const char *path) {
  struct statfs status;
  if (statfs(path, &status) != 0) return NULL;
  switch ((uint32_t)status.f_type) {
    case 0x65735546: return "fuse";
    case 0x6969: return "NFS";
    case 0xff534d42: return "CIFS";
    case 0xfe534d42: return "SMB2";
    case 0x01021997: return "9p";
    case 0x786f4256: return "vboxsf";
    case 0xbacbacbc: return "vmhgfs";
    case 0x00c36400: return "Ceph";
    default: return NULL;
  }
}

const void *clinux_memmem(const void *haystack, size_t haystack_count, const void *needle, size_t needle_count) {
  return memmem(haystack, haystack_count, needle, needle_count);
}

int clinux_read_time(const char *text, const char *format, struct tm *time) {
  return strptime(text, format, time) != NULL;
}
