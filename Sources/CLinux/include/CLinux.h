// What Linux has and Swift cannot call as it is: epoll keeps its user data in a union, and a few
// flags are macros that the importer does not see. Everything here is a plain wrapper.
#ifndef SELFIE_CLINUX_H
#define SELFIE_CLINUX_H

#include <netinet/in.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>

enum {
  CLINUX_IN = EPOLLIN,
  CLINUX_OUT = EPOLLOUT,
  CLINUX_PEER_CLOSED = EPOLLRDHUP,
  CLINUX_ERROR = EPOLLERR,
  CLINUX_HANGUP = EPOLLHUP,
};

/// One readiness event: which descriptor it is about (the number given when it was added) and what happened.
typedef struct {
  uint64_t token;
  uint32_t events;
} clinux_event;

/// A new epoll instance, closed on exec; -1 and errno on failure.
int clinux_epoll_create(void);

/// Watches a descriptor for reading, writing and the peer's end, edge-triggered: each change is told once.
int clinux_epoll_add_edge(int epoll, int descriptor, uint64_t token);

/// Watches a descriptor for reading, level-triggered: told as long as there is something to read.
int clinux_epoll_add_level(int epoll, int descriptor, uint64_t token);

/// Stops watching a descriptor that stays open.
int clinux_epoll_remove(int epoll, int descriptor);

/// Waits for events, at most `capacity` (256) of them, for `timeout` milliseconds (-1: for ever).
int clinux_epoll_wait(int epoll, clinux_event *events, int capacity, int timeout);

/// Accepts a connection whose socket is non-blocking and closed on exec.
int clinux_accept(int listener, struct sockaddr_storage *address);

/// sendfile(2): from `*offset` of the file to the socket; moves the offset.
ssize_t clinux_sendfile(int socket, int file, int64_t *offset, size_t count);

/// send(2) that raises no SIGPIPE; `more` tells the kernel that more follows at once (MSG_MORE).
ssize_t clinux_send(int socket, const void *bytes, size_t count, int more);

/// The same with two runs of bytes at once (sendmsg(2)).
ssize_t clinux_send_two(int socket, const void *first, size_t first_count, const void *second, size_t second_count,
                        int more);

/// A counter that wakes an epoll instance, non-blocking and closed on exec.
int clinux_eventfd(void);

/// Lets other threads go before the calling one: 0 (as all) to 19 (only what nobody else wants), see nice(2).
void clinux_lower_priority(int niceness);

/// A descriptor of a process, readable once that has ended (pidfd_open(2), Linux 5.3), closed on exec; -1 with errno.
int clinux_pidfd_open(int process);

/// Takes an open file description's lock on a whole file (F_OFD_SETLK, fcntl(2)) without waiting; -1 with errno.
int clinux_lock_file(int descriptor);

/// Gives that lock back, also for processes that have a copy of the descriptor; -1 with errno.
int clinux_unlock_file(int descriptor);

/// Renames a file or folder (renameat2(2) with RENAME_NOREPLACE). Where the file system cannot do that, it looks first: the
/// caller must then see to it that nobody else makes the name. Fails with EEXIST if the name is taken.
int clinux_rename_without_replacing(const char *path, const char *new_path);

/// The kind of file system that a path is on, such as "NFS", if it is one of those that other programs or machines provide
/// (statfs(2)); else NULL.
const char *clinux_remote_file_system(const char *path);

/// Whether a path is on an overlay file system, as in a container's own layer (statfs(2)).
int clinux_is_on_overlay(const char *path);

/// Gives memory that was freed back to the system, where the C library can do that (malloc_trim(3)).
void clinux_return_unused_memory(void);

/// The bytes that the allocator has given away, where the C library can tell (mallinfo2(3), glibc 2.33); else 0.
size_t clinux_allocated_bytes(void);

/// Lets each allocation of so many bytes or more have a mapping of its own, which goes back to the system when it is
/// freed, where the C library can do that (mallopt(3)). Of smaller ones, eight times as many bytes stay at the end of each
/// heap: with the default of 128 KiB, each upload would give back pages that the next one needs.
void clinux_map_large_allocations(int bytes);

/// Names the calling thread, as ps and top show it (15 characters at most).
void clinux_name_thread(const char *name);

/// Where bytes first occur in others (memmem(3)); NULL if they do not.
const void *clinux_memmem(const void *haystack, size_t haystack_count, const void *needle, size_t needle_count);

/// Reads a time by a format of strptime(3); 0 if the text does not begin with one.
int clinux_read_time(const char *text, const char *format, struct tm *time);

#endif
