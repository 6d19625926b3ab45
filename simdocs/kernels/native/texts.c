/* Texts: their normalisation. */
#include "compiled.h"

const char greatest_doc[] =
    "greatest(data) -> int: the greatest byte, or 0 if there is none.";

WIDE static uint8_t greatest_byte(const uint8_t *data, i64 size)
{
    uint8_t most = 0;
    for (i64 i = 0; i < size; i++)
        most = data[i] > most ? data[i] : most;
    return most;
}

PyObject *greatest(PyObject *self, PyObject *args)
{
    Py_buffer b[1] = {{0}};
    if (!PyArg_ParseTuple(args, "y*", &b[0]))
        return NULL;
    uint8_t most;
    Py_BEGIN_ALLOW_THREADS
    most = greatest_byte(b[0].buf, b[0].len);
    Py_END_ALLOW_THREADS
    release(b, 1);
    return PyLong_FromLong(most);
}

#define BLOCK 64 /* bytes that are mapped at once */

static inline unsigned is_space(uint8_t made)
{
    return (made == ' ') | (made == '\n');
}

/* Append the mapped bytes of one block to a row that has `done`. made: those bytes, after the byte before them. */
static inline i64 append_block(const uint8_t *made, i64 size, uint8_t *out, i64 done)
{
    uint8_t again[BLOCK], any = 0, lines = 0;
    for (i64 i = 0; i < size; i++) {
        again[i] = (uint8_t)(is_space(made[i]) & is_space(made[i + 1]));
        any |= again[i];
        lines |= made[i + 1] == '\n';
    }
    if (!any) {  /* as nearly everywhere */
        memcpy(out + done, made + 1, (size_t)size);
        return done + size;
    }
    for (i64 i = 0; i < size; i++) {
        out[done] = made[i + 1];
        done += !again[i];
        if (lines && again[i] && made[i + 1] == '\n' && done)
            out[done - 1] = '\n';
    }
    return done;
}

/* Append some ASCII to a row that has `done`. last: the byte that was made before; it is replaced by the last one now. */
WIDE static i64 collapse(const uint8_t *data, i64 size, const uint8_t *table, uint8_t *out, i64 done, uint8_t *last)
{
    uint8_t made[BLOCK + 1];
    made[0] = *last;
    for (; size >= BLOCK; data += BLOCK, size -= BLOCK, made[0] = made[BLOCK]) {
        for (i64 i = 0; i < BLOCK; i++)
            made[i + 1] = table[data[i]];
        done = append_block(made, BLOCK, out, done);
    }
    for (i64 i = 0; i < size; i++)
        made[i + 1] = table[data[i]];
    *last = made[size];
    return append_block(made, size, out, done);
}

/* The size of a row without a space at its end. */
static inline i64 without_space(const uint8_t *out, i64 done)
{
    return done - (done && is_space(out[done - 1]));
}

const char collapsed_doc[] =
    "collapsed(data, offsets, table, out, lengths) -> size: ASCII texts with each byte mapped, each run of SPACE\n"
    "and NEWLINE made one character, and none at the ends of a row.";

PyObject *collapsed(PyObject *self, PyObject *args)
{
    Py_buffer b[5] = {{0}};
    if (!PyArg_ParseTuple(args, "y*y*y*w*w*", &b[0], &b[1], &b[2], &b[3], &b[4]))
        return NULL;
    const i64 rows = items(&b[1], 8) - 1;
    if (!are_offsets(&b[1], b[0].len) || b[2].len != 256 || b[3].len < b[0].len || b[4].len != 8 * rows)
        return refuse(b, 5, "collapsed: wrong offsets or tables");
    i64 done = 0;
    Py_BEGIN_ALLOW_THREADS
    const any_i64 *offsets = b[1].buf;
    const uint8_t *table = b[2].buf, *data = b[0].buf;
    uint8_t *out = b[3].buf;
    any_i64 *lengths = b[4].buf;
    for (i64 row = 0; row < rows; row++) {
        uint8_t last = ' ';
        const i64 size = collapse(data + offsets[row], offsets[row + 1] - offsets[row], table, out + done, 0, &last);
        lengths[row] = without_space(out + done, size);
        done += lengths[row];
    }
    Py_END_ALLOW_THREADS
    release(b, 5);
    return PyLong_FromLongLong(done);
}

/* Map one text. Return its size, or a number below 0. */
static i64 map_text(const uint8_t *at, const uint8_t *end, const uint8_t *ascii, const any_u64 *table, uint8_t *out,
                    i64 room)
{
    i64 done = 0;
    uint8_t last = ' ';
    int size;
    while (at < end) {
        const uint8_t *wide = after_ascii(at, end);
        if (wide - at >= BLOCK / 2) {
            if (room - done < wide - at)
                return NO_ROOM;
            done = collapse(at, wide - at, ascii, out, done, &last);
            at = wide;
        }
        for (; at < wide || (at < end && *at >= 0x80); at += size) {
            const u32 point = code_point(at, end, &size);
            if (!size)
                return NEEDS_STR;
            const u64 entry = table[point];
            const uint8_t first = (uint8_t)entry, count = entry >> 56 & 7;
            if (!entry)
                return -1 - (i64)point;
            if (room - done < (i64)sizeof entry)
                return NO_ROOM;
            if (is_space(first) && is_space(last)) {
                if (first == '\n' && done)
                    out[done - 1] = '\n';
            } else {
                memcpy(out + done, &entry, sizeof entry);
                done += count;
            }
            last = count ? first : last;
        }
    }
    return without_space(out, done);
}

const char mapped_doc[] =
    "mapped(data, offsets, of_ascii, table, out, sizes) -> size: as collapsed, for UTF-8.\n"
    "of_ascii: the byte that each byte becomes. table: the UTF-8 that each code point becomes, with its size and a bit in\n"
    "the last of 8 bytes. sizes: those of the rows. A size below 0 is -1 - a code point whose entry is 0. None: a text is\n"
    "not UTF-8.";

PyObject *mapped(PyObject *self, PyObject *args)
{
    Py_buffer b[6] = {{0}};
    if (!PyArg_ParseTuple(args, "y*y*y*y*w*w*", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5]))
        return NULL;
    const i64 rows = items(&b[1], 8) - 1;
    if (!are_offsets(&b[1], b[0].len) || b[2].len != 256 || b[3].len != 8 * CODE_POINTS || b[5].len != 8 * rows)
        return refuse(b, 6, "mapped: wrong offsets or tables");
    i64 done = 0, size = 0;
    Py_BEGIN_ALLOW_THREADS
    const any_i64 *offsets = b[1].buf;
    const uint8_t *data = b[0].buf;
    uint8_t *out = b[4].buf;
    any_i64 *sizes = b[5].buf;
    for (i64 row = 0; row < rows && size >= 0; row++) {
        size = map_text(data + offsets[row], data + offsets[row + 1], b[2].buf, b[3].buf, out + done, b[4].len - done);
        sizes[row] = size;
        done += size;
    }
    Py_END_ALLOW_THREADS
    if (size == NO_ROOM)
        return refuse(b, 6, "mapped: no room for the result");
    release(b, 6);
    return result(size < 0 ? size : done);
}

const char pages_doc[] =
    "pages(data, out): set out[p] to 1 for each page of 256 code points that UTF-8 has. Other bytes are passed over.";

PyObject *pages(PyObject *self, PyObject *args)
{
    Py_buffer b[2] = {{0}};
    if (!PyArg_ParseTuple(args, "y*w*", &b[0], &b[1]))
        return NULL;
    if (b[1].len != CODE_POINTS >> 8)
        return refuse(b, 2, "pages: wrong room for the result");
    Py_BEGIN_ALLOW_THREADS
    const uint8_t *at = b[0].buf, *end = at + b[0].len;
    uint8_t *out = b[1].buf;
    for (int size; at < end; at += size ? size : 1) {
        const u32 point = code_point(at, end, &size);
        if (size)
            out[point >> 8] = 1;
        if (size == 1)
            at = after_ascii(at, end) - 1;
    }
    Py_END_ALLOW_THREADS
    release(b, 2);
    Py_RETURN_NONE;
}

/* The code points of UTF-8, and where the code points 0, stride, ... begin. Return how many there are, or NEEDS_STR. */
#define DECODE(name, type)                                                                                             \
    WIDE static i64 name(const uint8_t *data, i64 from, i64 to, type *out, i64 count, i64 most, any_i64 *strides,     \
                         i64 stride)                                                                                  \
    {                                                                                                                  \
        i64 next = (count + stride - 1) / stride * stride;                                                             \
        for (i64 at = from; at < to;) {                                                                                \
            const i64 some = after_ascii(data + at, data + to) - (data + at);                                          \
            if (most - count < some)                                                                                   \
                return NEEDS_STR;                                                                                      \
            for (i64 i = 0; i < some; i++)                                                                             \
                out[count + i] = data[at + i];                                                                         \
            for (; next < count + some; next += stride)                                                                \
                strides[next / stride] = at + (next - count);                                                          \
            count += some;                                                                                             \
            at += some;                                                                                                \
            for (int size; at < to && data[at] >= 0x80; at += size) {                                                  \
                const u32 point = code_point(data + at, data + to, &size);                                             \
                if (!size || point != (type)point || count == most)                                                    \
                    return NEEDS_STR;                                                                                  \
                if (next == count) {                                                                                   \
                    strides[next / stride] = at;                                                                       \
                    next += stride;                                                                                    \
                }                                                                                                      \
                out[count++] = (type)point;                                                                            \
            }                                                                                                          \
        }                                                                                                              \
        return count;                                                                                                  \
    }

DECODE(decode_16, uint16_t)
DECODE(decode_32, u32)

const char decoded_doc[] =
    "decoded(data, offsets, out, width, stride, strides, lengths) -> count: the code points of rows of UTF-8.\n"
    "out: `width` bytes for each. strides: where in data the code points 0, stride, ... begin; the end counts as one.\n"
    "lengths: those of the rows. None: a row is not UTF-8, or has larger code points.";

PyObject *decoded(PyObject *self, PyObject *args)
{
    Py_buffer b[5] = {{0}};
    Py_ssize_t width, stride;
    if (!PyArg_ParseTuple(args, "y*y*w*nnw*w*", &b[0], &b[1], &b[2], &width, &stride, &b[3], &b[4]))
        return NULL;
    const i64 rows = items(&b[1], 8) - 1;
    if (!are_offsets(&b[1], b[0].len) || b[4].len != 8 * rows || (width != 2 && width != 4) || stride < 1
        || (uintptr_t)b[2].buf % (uintptr_t)width || items(&b[3], 8) < items(&b[2], width) / stride + 1)
        return refuse(b, 5, "decoded: wrong offsets, or no room for the result");
    const i64 most = items(&b[2], width);
    i64 count = 0;
    Py_BEGIN_ALLOW_THREADS
    const any_i64 *offsets = b[1].buf;
    any_i64 *strides = b[3].buf, *lengths = b[4].buf;
    for (i64 row = 0; row < rows && count >= 0; row++) {
        const i64 before = count, from = offsets[row], to = offsets[row + 1];
        count = width == 2 ? decode_16(b[0].buf, from, to, b[2].buf, count, most, strides, stride)
                           : decode_32(b[0].buf, from, to, b[2].buf, count, most, strides, stride);
        lengths[row] = count - before;
    }
    if (count >= 0 && count % stride == 0)
        strides[count / stride] = offsets[rows];
    Py_END_ALLOW_THREADS
    release(b, 5);
    return result(count);
}
