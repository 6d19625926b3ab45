/* Tokens: the hashes of windows of bytes, characters and numbers, and of strings. */
#include "compiled.h"

/* Windows that are hashed at once. Their blocks, and the mixed ones, stay in the level-1 cache. */
#define CHUNK 1024

/* scratch: CHUNK + width + 4 bytes, then as many mixed blocks. */
WIDE static void byte_windows(const uint8_t *data, i64 count, i64 width, u32 seed, any_u32 *out, uint8_t *bytes, u32 *mixed)
{
    const i64 blocks = width / 4, tail = width % 4;
    const u32 mask = tail ? 0xFFFFFFFFu >> (32 - 8 * tail) : 0;
    u32 state[CHUNK];
    for (i64 at = 0; at < count; at += CHUNK) {
        const i64 some = count - at < CHUNK ? count - at : CHUNK, size = some + width - 1;
        memcpy(bytes, data + at, (size_t)size);
        memset(bytes + size, 0, 4);
        for (i64 i = 0; i < size; i++)
            mixed[i] = mix(bytes[i] | (u32)bytes[i + 1] << 8 | (u32)bytes[i + 2] << 16 | (u32)bytes[i + 3] << 24);
        for (i64 i = 0; i < some; i++)
            state[i] = seed;
        for (i64 block = 0; block < blocks; block++)
            for (i64 i = 0; i < some; i++)
                state[i] = stir(state[i], mixed[i + 4 * block]);
        if (tail) {
            const uint8_t *rest = bytes + 4 * blocks;
            for (i64 i = 0; i < some; i++)
                state[i] ^= mix((rest[i] | (u32)rest[i + 1] << 8 | (u32)rest[i + 2] << 16) & mask);
        }
        for (i64 i = 0; i < some; i++)
            out[at + i] = fmix32(state[i] ^ (u32)width);
    }
}

/* out may be numbers itself, or begin before it: a chunk is read before it is written. scratch: CHUNK + width blocks. */
WIDE static void number_windows(const any_u32 *numbers, i64 count, i64 width, u32 seed, any_u32 *out, u32 *mixed)
{
    u32 state[CHUNK];
    for (i64 at = 0; at < count; at += CHUNK) {
        const i64 some = count - at < CHUNK ? count - at : CHUNK;
        for (i64 i = 0; i < some + width - 1; i++)
            mixed[i] = mix(numbers[at + i]);
        for (i64 i = 0; i < some; i++)
            state[i] = seed;
        for (i64 block = 0; block < width; block++)
            for (i64 i = 0; i < some; i++)
                state[i] = stir(state[i], mixed[i + block]);
        for (i64 i = 0; i < some; i++)
            out[at + i] = fmix32(state[i] ^ (u32)(4 * width));
    }
}

/* How many windows the rows have; a row with fewer than k units has one, and an empty row none. */
static i64 window_count(const any_i64 *offsets, i64 rows, i64 k)
{
    i64 total = 0;
    for (i64 row = 0; row < rows; row++) {
        const i64 size = offsets[row + 1] - offsets[row];
        total += size >= k ? size - k + 1 : size > 0;
    }
    return total;
}

/* Windows of ASCII from which on they are hashed together. */
#define TOGETHER 8

/* The windows of k code points of one text. Return how many there are; -1 if it is not UTF-8, or has not `room`. */
static i64 char_windows(const uint8_t *at, const uint8_t *end, i64 k, u32 seed, any_u32 *out, i64 room, u32 *scratch,
                        uint8_t *bytes)
{
    const uint8_t *stop = at, *wide = after_ascii(at, end);
    i64 done = 0;
    int size;
    for (i64 points = 0; points < k && stop < end; points++, stop += size) {
        code_point(stop, end, &size);
        if (!size)
            return -1;
    }
    while (at < end) {
        if (wide < at)
            wide = after_ascii(at, end);
        if (wide - at >= k + TOGETHER) {
            const i64 some = wide - at - k + 1;
            if (room - done < some)
                return -1;
            byte_windows(at, some, k, seed, out + done, bytes, scratch);
            done += some;
            at += some;
            stop = wide;  /* of the next window, its last code point is missing */
        } else {
            if (done == room)
                return -1;
            out[done++] = hash_bytes(at, stop - at, seed);
            at += *at < 0x80 ? 1 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : 4;
        }
        if (stop == end)
            break;
        code_point(stop, end, &size);
        if (!size)
            return -1;
        stop += size;
    }
    return done;
}

const char char_tokens_doc[] =
    "char_tokens(data, offsets, points, k, seed, out) -> bool: the tokens of k code points each of every row of UTF-8.\n"
    "points: the offsets of the rows in code points. False: a row is not UTF-8, or does not have these code points.";

PyObject *char_tokens(PyObject *self, PyObject *args)
{
    Py_buffer b[4] = {{0}};
    Py_ssize_t k;
    unsigned int seed;
    if (!PyArg_ParseTuple(args, "y*y*y*nIw*", &b[0], &b[1], &b[2], &k, &seed, &b[3]))
        return NULL;
    const i64 rows = items(&b[1], 8) - 1;
    if (k < 1 || !are_offsets(&b[1], b[0].len) || !are_offsets(&b[2], b[0].len) || b[2].len != b[1].len)
        return refuse(b, 4, "char_tokens: wrong offsets");
    const any_i64 *offsets = b[1].buf, *points = b[2].buf;
    if (items(&b[3], 4) != window_count(points, rows, k))
        return refuse(b, 4, "char_tokens: wrong size of the result");
    const i64 room = CHUNK + k + 4;
    u32 *scratch = malloc((size_t)(room * 5 + 8));
    if (!scratch)
        return no_memory(b, 4);
    int fits = 1;
    Py_BEGIN_ALLOW_THREADS
    any_u32 *out = b[3].buf;
    for (i64 row = 0; row < rows && fits; row++) {
        const uint8_t *data = b[0].buf;
        const i64 wanted = window_count(points + row, 1, k);
        fits = wanted == char_windows(data + offsets[row], data + offsets[row + 1], k, seed, out, wanted, scratch,
                                      (uint8_t *)(scratch + room));
        out += wanted;
    }
    Py_END_ALLOW_THREADS
    free(scratch);
    release(b, 4);
    return PyBool_FromLong(fits);
}

const char number_tokens_doc[] =
    "number_tokens(numbers, offsets, k, seed): replace numbers by the tokens of k numbers each of every row.";

PyObject *number_tokens(PyObject *self, PyObject *args)
{
    Py_buffer b[2] = {{0}};
    Py_ssize_t k;
    unsigned int seed;
    if (!PyArg_ParseTuple(args, "w*y*nI", &b[0], &b[1], &k, &seed))
        return NULL;
    const i64 rows = items(&b[1], 8) - 1;
    if (k < 1 || !are_offsets(&b[1], items(&b[0], 4)))
        return refuse(b, 2, "number_tokens: wrong offsets");
    u32 *scratch = malloc((size_t)(CHUNK + k) * sizeof *scratch);
    if (!scratch)
        return no_memory(b, 2);
    Py_BEGIN_ALLOW_THREADS
    const any_i64 *offsets = b[1].buf;
    any_u32 *numbers = b[0].buf, *out = numbers;
    for (i64 row = 0; row < rows; row++) {
        const any_u32 *here = numbers + offsets[row];
        const i64 size = offsets[row + 1] - offsets[row];
        if (size >= k) {
            number_windows(here, size - k + 1, k, seed, out, scratch);
            out += size - k + 1;
        } else if (size)
            *out++ = hash_bytes((const uint8_t *)here, 4 * size, seed);
    }
    Py_END_ALLOW_THREADS
    free(scratch);
    release(b, 2);
    Py_RETURN_NONE;
}

const char byte_strings_doc[] =
    "byte_strings(data, starts, lengths, seed, out): the hash of each string of bytes.";

PyObject *byte_strings(PyObject *self, PyObject *args)
{
    Py_buffer b[4] = {{0}};
    unsigned int seed;
    if (!PyArg_ParseTuple(args, "y*y*y*Iw*", &b[0], &b[1], &b[2], &seed, &b[3]))
        return NULL;
    const any_i64 *starts = b[1].buf, *lengths = b[2].buf;
    const i64 count = items(&b[1], 8), size = b[0].len;
    if (b[1].len != b[2].len || items(&b[3], 4) != count)
        return refuse(b, 4, "byte_strings: arrays of different lengths");
    for (i64 i = 0; i < count; i++)
        if (starts[i] < 0 || lengths[i] < 0 || starts[i] > size || lengths[i] > size - starts[i])
            return refuse(b, 4, "byte_strings: a string that is not in the data");
    Py_BEGIN_ALLOW_THREADS
    any_u32 *out = b[3].buf;
    for (i64 i = 0; i < count; i++)
        out[i] = hash_bytes((const uint8_t *)b[0].buf + starts[i], lengths[i], seed);
    Py_END_ALLOW_THREADS
    release(b, 4);
    Py_RETURN_NONE;
}
