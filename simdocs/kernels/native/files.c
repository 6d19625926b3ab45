/* Look at many files with one call from Python, which takes longer for a file than the system does. These are no kernels,
 * because they ask the system, but they serve corpora/: see statuses in stamp.py, and read_small in read_file.py. Python
 * looks after every file for which they fail, for whatever reason.
 */
#include "compiled.h"

#pragma GCC visibility push(default) /* these functions are in other libraries */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#pragma GCC visibility pop

#ifdef __APPLE__
#define MODIFIED(status) ((status)->st_mtimespec)
#define CHANGED(status) ((status)->st_ctimespec)
#else
#define MODIFIED(status) ((status)->st_mtim)
#define CHANGED(status) ((status)->st_ctim)
#endif

#define LONGEST 255 /* bytes of the name of a directory */
#define LATEST 9000000000LL /* seconds whose nanoseconds certainly fit in 64 bits */

/* A stamp: see Stamp in stamp.py. */
typedef struct {
    i64 size, modified, changed;
    u64 inode;
} Facts;

/* The stamp in a status. Return whether its times are numbers of 64 bits. */
static int stamp_of(const struct stat *status, Facts *facts)
{
    const struct timespec modified = MODIFIED(status), changed = CHANGED(status);
    if (llabs(modified.tv_sec) > LATEST || llabs(changed.tv_sec) > LATEST)
        return 0;
    facts->size = status->st_size;
    facts->modified = modified.tv_sec * 1000000000LL + modified.tv_nsec;
    facts->changed = changed.tv_sec * 1000000000LL + changed.tv_nsec;
    facts->inode = status->st_ino;
    return 1;
}

/* Return whether an open file is a regular file with a stamp. */
static int facts_of(int file, Facts *facts, u64 *device)
{
    struct stat status;
    if (fstat(file, &status) || !S_ISREG(status.st_mode))
        return 0;
    *device = status.st_dev;
    return stamp_of(&status, facts);
}

/* Read an open file to `data`. Whether it is the one that was found, and was the same before and after. */
static int read_file(int file, u64 device, u64 inode, i64 before, i64 most, uint8_t *data, Facts *facts)
{
    Facts after;
    u64 its_device;
    if (!facts_of(file, facts, &its_device) || ((device || inode) && (its_device != device || facts->inode != inode)))
        return 0;
    if (facts->size < 1 || facts->size > most || facts->modified >= before || facts->changed >= before)
        return 0;
    return read(file, data, facts->size + 1) == facts->size && facts_of(file, &after, &its_device) &&
           !memcmp(facts, &after, sizeof after);
}

/* The directory of the last file, below a root that stays open. path: in the names. file: -1 if none is open. */
typedef struct {
    int root, file;
    const char *path;
    i64 length;
} Directory;

static void leave(Directory *last)
{
    if (last->file >= 0 && last->file != last->root)
        close(last->file);
    last->file = -1;
}

/* Open the directory with this path, which is empty or ends with a slash. No link is followed. Return -1 if it fails. */
static int enter(Directory *last, const char *path, i64 length, int flags)
{
    if (last->file >= 0 && last->length == length && !memcmp(last->path, path, length))
        return last->file;
    leave(last);
    last->file = last->root, last->path = path, last->length = length;
    for (const char *end = path + length; path < end && last->file >= 0;) {
        char name[LONGEST + 1];
        const char *slash = memchr(path, '/', end - path);
        const i64 size = slash - path;
        if (size < 1 || size > LONGEST) {
            leave(last);
            break;
        }
        memcpy(name, path, size);
        name[size] = 0;
        const int below = openat(last->file, name, flags | O_DIRECTORY);
        leave(last);
        last->file = below;
        path = slash + 1;
    }
    return last->file;
}

/* Open a file by its name below the root. Return -1 if it fails. */
static int open_below(Directory *last, const char *name, i64 size, int flags)
{
    i64 cut = size;
    while (cut > 0 && name[cut - 1] != '/')
        cut--;
    const int directory = enter(last, name, cut, flags);
    return directory < 0 ? -1 : openat(directory, name + cut, flags);
}

const char read_still_doc[] =
    "read_still(root, names, offsets, ids, flags, before, most, data, facts)\n\n"
    "Read files below an open directory that lie still, one after the other, into data, until the next one may have no\n"
    "room, and return how many files were tried.\n\n"
    "names: below the root, each with a NUL at its end, and their offsets. ids: device and inode of each, or 0, 0.\n"
    "flags: of open. before: the time in nanoseconds before which they were changed last. most: the most bytes of one.\n"
    "facts: size, times and inode of each; the size is -1 if it was not read.";

PyObject *read_still(PyObject *self, PyObject *args)
{
    Py_buffer of[5] = {{0}};
    int root, flags;
    long long before, most;
    if (!PyArg_ParseTuple(args, "iy*y*y*iLLw*w*", &root, &of[0], &of[1], &of[2], &flags, &before, &most, &of[3],
                          &of[4]))
        return NULL;
    const i64 count = items(&of[1], 8) - 1;
    if (!are_offsets(&of[1], of[0].len) || of[2].len != 16 * count || of[4].len != 32 * count || most < 0)
        return refuse(of, 5, "the arrays do not fit together");
    const any_i64 *offsets = of[1].buf;
    const char *names = of[0].buf;
    for (i64 i = 0; i < count; i++)
        if (memchr(names + offsets[i], 0, offsets[i + 1] - offsets[i]) != names + offsets[i + 1] - 1)
            return refuse(of, 5, "a name has no NUL at its end");
    uint8_t *data = of[3].buf;
    i64 tried = 0, room = of[3].len;
    Directory last = {root, -1, NULL, 0};
    Py_BEGIN_ALLOW_THREADS
    for (; tried < count && room > most; tried++) {
        u64 id[2];
        Facts facts = {0};
        memcpy(id, (const char *)of[2].buf + 16 * tried, 16);
        const int file = open_below(&last, names + offsets[tried], offsets[tried + 1] - offsets[tried] - 1, flags);
        if (file < 0 || !read_file(file, id[0], id[1], before, most, data, &facts))
            facts.size = -1;
        else
            data += facts.size, room -= facts.size;
        if (file >= 0)
            close(file);
        memcpy((char *)of[4].buf + 32 * tried, &facts, 32);
    }
    leave(&last);
    Py_END_ALLOW_THREADS
    release(of, 5);
    return PyLong_FromLongLong(tried);
}

/* Names whose statuses are asked for: each with a NUL at its end. out: 48 bytes for each. */
typedef struct {
    int directory;
    const char *name, *end;
    char *out;
} Asked;

static void *ask(void *of)
{
    const Asked *asked = of;
    const int directory = asked->directory < 0 ? AT_FDCWD : asked->directory;
    char *out = asked->out;
    for (const char *name = asked->name; name < asked->end; name += strlen(name) + 1, out += 48) {
        struct stat status;
        Facts facts;
        memset(out, 0, 48);
        if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) || !stamp_of(&status, &facts))
            continue;
        const u32 kind[2] = {status.st_mode, status.st_nlink < UINT32_MAX ? status.st_nlink : UINT32_MAX};
        const u64 id[2] = {status.st_dev, status.st_ino};
        memcpy(out, kind, 8);
        memcpy(out + 8, &facts, 24);
        memcpy(out + 32, id, 16);
    }
    return NULL;
}

#define MOST_THREADS 16
#define STACK (1 << 18) /* bytes for a thread, which needs few */

/* Ask for `count` statuses in several threads. This one does the work of those that cannot be started. */
static void ask_in_threads(Asked all, i64 count, int threads)
{
    Asked parts[MOST_THREADS];
    pthread_t others[MOST_THREADS];
    int started[MOST_THREADS] = {0};
    pthread_attr_t attributes;
    sigset_t every, before;
    for (int part = 0; part < threads; part++) {
        parts[part] = all;
        for (i64 left = count * (part + 1) / threads - count * part / threads; left > 0; left--)
            all.name += strlen(all.name) + 1, all.out += 48;
        parts[part].end = all.name;
    }
    const int has_attributes = !pthread_attr_init(&attributes);
    if (has_attributes && !pthread_attr_setstacksize(&attributes, STACK)) {
        sigfillset(&every); /* signals are for the thread that waits for the others */
        if (!pthread_sigmask(SIG_SETMASK, &every, &before)) {
            for (int part = 1; part < threads; part++)
                started[part] = !pthread_create(&others[part], &attributes, ask, &parts[part]);
            pthread_sigmask(SIG_SETMASK, &before, NULL);
        }
    }
    if (has_attributes)
        pthread_attr_destroy(&attributes);
    for (int part = 0; part < threads; part++)
        if (!started[part])
            ask(&parts[part]);
    for (int part = 1; part < threads; part++)
        if (started[part])
            pthread_join(others[part], NULL);
}

const char statuses_doc[] =
    "statuses(directory, names, out, threads)\n\n"
    "The status of each of these names in an open directory; below 0: in the working directory. No link is followed.\n\n"
    "names: each with a NUL at its end. out: for each the mode and the number of links, 4 bytes each; size, times,\n"
    "device and inode, 8 bytes each. The mode is 0 if there is no such status. threads: how many ask, at most 16.";

PyObject *statuses(PyObject *self, PyObject *args)
{
    Py_buffer of[2] = {{0}};
    int directory, threads;
    if (!PyArg_ParseTuple(args, "iy*w*i", &directory, &of[0], &of[1], &threads))
        return NULL;
    const char *name = of[0].buf, *end = name + of[0].len;
    const Asked all = {directory, name, end, of[1].buf};
    i64 count = 0;
    for (const char *at = name; at < end; at++)
        count += !*at;
    if (of[1].len != 48 * count || (count ? end[-1] != 0 : end != name) || threads < 1 || threads > MOST_THREADS)
        return refuse(of, 2, "the arrays do not fit together");
    Py_BEGIN_ALLOW_THREADS
    if (threads > 1)
        ask_in_threads(all, count, threads);
    else
        ask((void *)&all);
    Py_END_ALLOW_THREADS
    release(of, 2);
    Py_RETURN_NONE;
}

/* How often a byte is among these. */
static i64 count_of(const uint8_t *at, const uint8_t *end, uint8_t byte)
{
    i64 count = 0;
    for (; at < end; at++)
        count += *at == byte;
    return count;
}

/* Whether the first two lines of a text show that it is no table and no JSON: the same as _is_prose in recognise.py. */
static int is_prose(const uint8_t *text, const uint8_t *end)
{
    const uint8_t *second = memchr(text, '\n', end - text);
    const uint8_t *after = second ? memchr(second + 1, '\n', end - second - 1) : NULL;
    if (!after || memchr("{[ \t\n\r\f\v", *text, 8) || memchr(text, '"', after - text))
        return 0;
    second++;
    if (second - text > 2 && memchr(text, '\r', second - text - 2))
        return 0;
    for (const char *delimiter = "\t;,"; *delimiter; delimiter++) {
        const i64 count = count_of(text, second, *delimiter);
        if (count && count == count_of(second, after, *delimiter))
            return 0;
    }
    return 1;
}

static int has_mark(const uint8_t *text, i64 size, const uint8_t *marks, const any_i64 *offsets, i64 count)
{
    for (i64 i = 0; i < count; i++) {
        const i64 length = offsets[i + 1] - offsets[i];
        if (length <= size && !memcmp(text, marks + offsets[i], length))
            return 1;
    }
    return 0;
}

const char plain_doc[] =
    "plain(data, offsets, marks, mark_offsets, without_nul, looked_at, out)\n\n"
    "Whether each text begins with none of the marks, has no NUL in its first `without_nul` bytes, and is prose by the\n"
    "first two lines of its first `looked_at` bytes. out: a byte for each text.";

PyObject *plain(PyObject *self, PyObject *args)
{
    Py_buffer of[5] = {{0}};
    long long without_nul, looked_at;
    if (!PyArg_ParseTuple(args, "y*y*y*y*LLw*", &of[0], &of[1], &of[2], &of[3], &without_nul, &looked_at, &of[4]))
        return NULL;
    const i64 count = items(&of[1], 8) - 1, marks = items(&of[3], 8) - 1;
    if (!are_offsets(&of[1], of[0].len) || !are_offsets(&of[3], of[2].len) || of[4].len != count || without_nul < 0 ||
        looked_at < 0)
        return refuse(of, 5, "the arrays do not fit together");
    const any_i64 *offsets = of[1].buf;
    uint8_t *out = of[4].buf;
    Py_BEGIN_ALLOW_THREADS
    for (i64 i = 0; i < count; i++) {
        const uint8_t *text = (const uint8_t *)of[0].buf + offsets[i];
        const i64 size = offsets[i + 1] - offsets[i];
        out[i] = size && !has_mark(text, size, of[2].buf, of[3].buf, marks) &&
                 !memchr(text, 0, size < without_nul ? size : without_nul) &&
                 is_prose(text, text + (size < looked_at ? size : looked_at));
    }
    Py_END_ALLOW_THREADS
    release(of, 5);
    Py_RETURN_NONE;
}
