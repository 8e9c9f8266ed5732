/* Faults at the boundary of a process and its kernel, for the fault bench; loaded with LD_PRELOAD.
 *
 * Only files below one folder are concerned, and only the process that called faults_arm(). Operations are counted from 1.
 * Calls that write (open that creates, write, pwrite, writev, ftruncate) and calls that settle (fsync, fdatasync, rename)
 * are counted apart, and so are the writes to files called events.jsonl.
 * FAULTS_CLOCK holds the seconds by which the clock of a process is wrong from its beginning.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { COUNT, FAIL_ONCE, FAIL_ON, FAIL_SETTLE, KILL_BEFORE, KILL_AFTER, KILL_TORN, CLOCK };

static char folder[PATH_MAX];
static size_t folder_length;
static pid_t armed_in;
static int what, with;
static long at;
static double step, clock_off;
static long writes, settles, events;

void faults_arm(const char *below, int kind, long number, int error, double seconds)
{
    snprintf(folder, sizeof folder, "%s/", below);
    folder_length = strlen(folder);
    what = kind, at = number, with = error, step = seconds;
    writes = settles = events = 0;
    armed_in = getpid();
}

void faults_clock(double seconds) { clock_off = seconds; }
long faults_writes(void) { return writes; }
long faults_settles(void) { return settles; }
long faults_events(void) { return events; }

__attribute__((constructor)) static void begin(void)
{
    const char *given = getenv("FAULTS_CLOCK");
    if (given) clock_off = atof(given);
}

static int armed(void) { return armed_in && armed_in == getpid(); }
static int below(const char *path) { return path && strncmp(path, folder, folder_length) == 0; }
static void die(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

static int concerned(int descriptor, int *is_log)
{
    char link[64], path[PATH_MAX];
    if (!armed()) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    *is_log = length > 13 && strcmp(path + length - 13, "/events.jsonl") == 0;
    return below(path);
}

/* Whether this write has to fail. */
static int failing(int is_log)
{
    long number = __atomic_add_fetch(&writes, 1, __ATOMIC_SEQ_CST);
    if (is_log && __atomic_add_fetch(&events, 1, __ATOMIC_SEQ_CST) == at && what == CLOCK) clock_off += step;
    return (what == FAIL_ONCE && number == at) || (what == FAIL_ON && number >= at);
}

static int torn(void) { return what == KILL_TORN && writes == at; }

/* Whether this call that settles has to fail; the process may not outlive it. */
static int settling(int *last)
{
    long number = __atomic_add_fetch(&settles, 1, __ATOMIC_SEQ_CST);
    if (what == KILL_BEFORE && number == at) die();
    *last = what == KILL_AFTER && number == at;
    return what == FAIL_SETTLE && number == at;
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int d, const void *b, size_t n)
{
    REAL(write);
    int is_log = 0;
    if (concerned(d, &is_log)) {
        if (failing(is_log)) { errno = with; return -1; }
        if (torn()) { real(d, b, n / 2); die(); }
    }
    return real(d, b, n);
}

ssize_t pwrite64(int d, const void *b, size_t n, off64_t o)
{
    REAL(pwrite64);
    int is_log = 0;
    if (concerned(d, &is_log)) {
        if (failing(is_log)) { errno = with; return -1; }
        if (torn()) { real(d, b, n / 2, o); die(); }
    }
    return real(d, b, n, o);
}

ssize_t pwrite(int d, const void *b, size_t n, off_t o) { return pwrite64(d, b, n, o); }

ssize_t writev(int d, const struct iovec *v, int n)
{
    REAL(writev);
    int is_log = 0;
    if (concerned(d, &is_log)) {
        if (failing(is_log)) { errno = with; return -1; }
        if (torn()) { real(d, v, n / 2); die(); }
    }
    return real(d, v, n);
}

int ftruncate64(int d, off64_t n)
{
    REAL(ftruncate64);
    int is_log = 0;
    if (concerned(d, &is_log)) {
        if (failing(0)) { errno = with; return -1; }
        if (torn()) die();
    }
    return real(d, n);
}

int ftruncate(int d, off_t n) { return ftruncate64(d, n); }

#define SETTLE(name) \
    int name(int d) \
    { \
        REAL(name); \
        int is_log = 0, last = 0; \
        if (concerned(d, &is_log) && settling(&last)) { errno = with; return -1; } \
        int done = real(d); \
        if (last) die(); \
        return done; \
    }
SETTLE(fsync)
SETTLE(fdatasync)

int rename(const char *from, const char *to)
{
    REAL(rename);
    int last = 0;
    if (armed() && below(to) && settling(&last)) { errno = with; return -1; }
    int done = real(from, to);
    if (last) die();
    return done;
}

static int creating(const char *path, int flags)
{
    if (!(flags & O_CREAT) || !armed() || !below(path) || access(path, F_OK) == 0) return 0;
    if (failing(0)) { errno = with; return 1; }
    if (torn()) die();
    return 0;
}

static mode_t mode_of(int flags, va_list given) { return flags & O_CREAT ? va_arg(given, mode_t) : 0; }

#define OPEN(name) \
    int name(const char *path, int flags, ...) \
    { \
        REAL(name); \
        va_list given; \
        va_start(given, flags); \
        mode_t mode = mode_of(flags, given); \
        va_end(given); \
        return creating(path, flags) ? -1 : real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

static struct timespec shifted(struct timespec t)
{
    long long ns = (long long)t.tv_sec * 1000000000 + t.tv_nsec + (long long)(clock_off * 1e9);
    return (struct timespec){ns / 1000000000, ns % 1000000000};
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    REAL(clock_gettime);
    int done = real(id, t);
    if (!done && clock_off && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) *t = shifted(*t);
    return done;
}

int gettimeofday(struct timeval *t, void *zone)
{
    REAL(gettimeofday);
    int done = real(t, zone);
    if (!done && clock_off) {
        struct timespec moved = shifted((struct timespec){t->tv_sec, t->tv_usec * 1000});
        t->tv_sec = moved.tv_sec, t->tv_usec = moved.tv_nsec / 1000;
    }
    return done;
}

time_t time(time_t *t)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (t) *t = now.tv_sec;
    return now.tv_sec;
}
