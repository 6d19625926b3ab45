/* Read many small files with one call from Python, whose calls take as long for a small file as the system does. This is
 * no kernel, because it asks the system, but serves corpora/: see read_small in files.py, which reads what is left out.
 */
#include "compiled.h"

#pragma GCC visibility push(default) /* these functions are in other libraries */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#pragma GCC visibility pop

#ifdef __APPLE__
#define MODIFIED(status) ((status).st_mtimespec)
#define CHANGED(status) ((status).st_ctimespec)
#else
#define MODIFIED(status) ((status).st_mtim)
#define CHANGED(status) ((status).st_ctim)
#endif

#define LATEST 9000000000LL /* seconds whose nanoseconds certainly fit in 64 bits */

/* A stamp: see Stamp in reading/files.py. */
typedef struct {
    i64 size, modified, changed;
    u64 inode;
} Facts;

/* Whether an open file is a regular file with a stamp. */
static int stamp_of(int file, Facts *facts)
{
    struct stat status;
    if (fstat(file, &status) || !S_ISREG(status.st_mode))
        return 0;
    const struct timespec modified = MODIFIED(status), changed = CHANGED(status);
    if (llabs(modified.tv_sec) > LATEST || llabs(changed.tv_sec) > LATEST)
        return 0;
    facts->size = status.st_size;
    facts->modified = modified.tv_sec * 1000000000LL + modified.tv_nsec;
    facts->changed = changed.tv_sec * 1000000000LL + changed.tv_nsec;
    facts->inode = status.st_ino;
    return 1;
}

/* Read a file of 1 to `most` bytes to `data`, which has room for one more. Whether it was the same before and after. */
static int read_file(const char *name, int flags, i64 most, char *data, Facts *facts)
{
    Facts after;
    const int file = open(name, flags);
    if (file < 0)
        return 0;
    const int was_read = stamp_of(file, facts) && facts->size > 0 && facts->size <= most &&
                         read(file, data, facts->size + 1) == facts->size && stamp_of(file, &after) &&
                         !memcmp(facts, &after, sizeof after);
    close(file);
    return was_read;
}

/* The bytes of a file with its stamp, None if it was not read, or NULL for an error. */
static PyObject *text_of(PyObject *name, int flags, i64 most, char *data, char *stamp)
{
    Facts facts;
    char *path;
    Py_ssize_t length;
    int was_read;
    if (PyBytes_AsStringAndSize(name, &path, &length) || PyErr_CheckSignals())
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    was_read = strlen(path) == (size_t)length && read_file(path, flags, most, data, &facts);
    Py_END_ALLOW_THREADS
    if (!was_read)
        Py_RETURN_NONE;
    memcpy(stamp, &facts, sizeof facts);
    return PyBytes_FromStringAndSize(data, facts.size);
}

const char read_files_doc[] =
    "read_files(names, flags, most, stamps)\n\n"
    "The bytes of each of these regular files, which was the same before and after; None if it is not read: it cannot\n"
    "be opened, is no such file, has no bytes or more than `most`, or changes.\n\n"
    "names: a tuple of bytes. flags: of open, 4 bytes each. stamps: size, times and inode of each file that is read.";

PyObject *read_files(PyObject *self, PyObject *args)
{
    PyObject *names;
    Py_buffer of[2] = {{0}};
    long long most;
    if (!PyArg_ParseTuple(args, "O!y*Lw*", &PyTuple_Type, &names, &of[0], &most, &of[1]))
        return NULL;
    const Py_ssize_t count = PyTuple_Size(names);
    if (of[0].len != 4 * count || of[1].len != 32 * count || most < 0 || most > 1 << 30)
        return refuse(of, 2, "the arrays do not fit together");
    char *data = malloc(most + 1);
    PyObject *texts = data ? PyList_New(count) : PyErr_NoMemory();
    for (Py_ssize_t i = 0; texts && i < count; i++) {
        int flags;
        memcpy(&flags, (char *)of[0].buf + 4 * i, 4);
        PyObject *text = text_of(PyTuple_GetItem(names, i), flags, most, data, (char *)of[1].buf + 32 * i);
        if (!text || PyList_SetItem(texts, i, text)) {
            Py_DECREF(texts);
            texts = NULL;
        }
    }
    free(data);
    release(of, 2);
    return texts;
}
