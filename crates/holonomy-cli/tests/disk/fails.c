/* A disk that fails: loaded before the C library, it refuses calls that change files below a directory.
 *
 *   DISK_BELOW    the directory
 *   DISK_ERROR    the errno of a refusal
 *   DISK_FROM     the call from which on all are refused, counted from 1; or
 *   DISK_ONE_IN   one call in so many is refused, at random from DISK_SEED
 *   DISK_COUNT    a file that is told how many calls there were
 *
 * What the system may lose it loses: a sync that fails leaves zeros where it did not reach the disk, and the next one
 * knows nothing of that, as on Linux. A disk that is full takes half of the write that fills it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long calls;
static unsigned long long dice;
/* Where the bytes begin that are not on the disk, by descriptor; 0: all are, else the offset + 1. */
static off_t unsynced[MOST];

static unsigned long number(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : 0;
}

static int refuses(void)
{
    int refused = 0;
    pthread_mutex_lock(&lock);
    calls += 1;
    unsigned long from = number("DISK_FROM"), one_in = number("DISK_ONE_IN");
    if (one_in) {
        if (!dice)
            dice = 0x9e3779b97f4a7c15ull * (number("DISK_SEED") + 1);
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        refused = (dice >> 11) % one_in == 0;
    } else {
        refused = from && calls >= from;
    }
    pthread_mutex_unlock(&lock);
    return refused;
}

static int lies_below(const char *path)
{
    const char *below = getenv("DISK_BELOW");
    size_t length = below ? strlen(below) : 0;
    return length && !strncmp(path, below, length) && (path[length] == '/' || !path[length]);
}

static int is_there(int descriptor)
{
    char name[64], path[PATH_MAX];
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(name, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return lies_below(path);
}

/* Whether a path leads below the directory, from where the program runs. */
static int leads_there(const char *path)
{
    char whole[2 * PATH_MAX];
    if (path[0] == '/')
        return lies_below(path);
    if (!getcwd(whole, PATH_MAX))
        return 0;
    strcat(whole, "/");
    strncat(whole, path, PATH_MAX - 1);
    return lies_below(whole);
}

static int fails(void)
{
    errno = (int)number("DISK_ERROR");
    return -1;
}

static int is_full(void)
{
    return (int)number("DISK_ERROR") == ENOSPC;
}

static void wrote(int descriptor, off_t at)
{
    if (descriptor >= 0 && descriptor < MOST && at >= 0) {
        off_t known = unsynced[descriptor];
        if (!known || at + 1 < known)
            unsynced[descriptor] = at + 1;
    }
}

ssize_t write(int descriptor, const void *bytes, size_t count)
{
    if (is_there(descriptor)) {
        wrote(descriptor, lseek(descriptor, 0, SEEK_CUR));
        if (refuses()) {
            if (is_full() && count > 1)
                syscall(SYS_write, descriptor, bytes, count / 2);
            return fails();
        }
    }
    return syscall(SYS_write, descriptor, bytes, count);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count)
{
    if (is_there(descriptor)) {
        wrote(descriptor, lseek(descriptor, 0, SEEK_CUR));
        if (refuses())
            return fails();
    }
    return syscall(SYS_writev, descriptor, parts, count);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t at)
{
    if (is_there(descriptor)) {
        wrote(descriptor, at);
        if (refuses())
            return fails();
    }
    return syscall(SYS_pwrite64, descriptor, bytes, count, at);
}

/* Bytes that were written and do not reach the disk are lost. */
static int synced(int descriptor, long call)
{
    if (!is_there(descriptor))
        return syscall(call, descriptor);
    int fits = descriptor >= 0 && descriptor < MOST;
    off_t from = fits ? unsynced[descriptor] : 0;
    if (fits)
        unsynced[descriptor] = 0;
    if (!refuses())
        return syscall(call, descriptor);
    struct stat found;
    if (from && !fstat(descriptor, &found) && S_ISREG(found.st_mode)) {
        static const char zeros[4096];
        for (off_t at = from - 1; at < found.st_size; at += sizeof zeros) {
            off_t left = found.st_size - at;
            size_t some = left < (off_t)sizeof zeros ? (size_t)left : sizeof zeros;
            syscall(SYS_pwrite64, descriptor, zeros, some, at);
        }
    }
    return fails();
}

int fsync(int descriptor) { return synced(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return synced(descriptor, SYS_fdatasync); }

int ftruncate64(int descriptor, off64_t length)
{
    if (is_there(descriptor) && refuses())
        return fails();
    return syscall(SYS_ftruncate, descriptor, length);
}

int rename(const char *from, const char *to)
{
    if (leads_there(to) && refuses())
        return fails();
    return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int mkdir(const char *path, mode_t mode)
{
    if (leads_there(path) && refuses())
        return fails();
    return syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

/* A full disk lets files be removed. */
int unlink(const char *path)
{
    if (leads_there(path) && !is_full() && !faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) && refuses())
        return fails();
    return syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int open64(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
        if (leads_there(path) && refuses())
            return fails();
    }
    int descriptor = syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (descriptor >= 0 && descriptor < MOST)
        unsynced[descriptor] = 0;
    return descriptor;
}

__attribute__((destructor)) static void count(void)
{
    const char *path = getenv("DISK_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%lu\n", calls);
        fclose(file);
    }
}
