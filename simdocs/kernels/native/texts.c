/* Texts: their normalisation, and their words. */
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

/* One row. Return its size. */
WIDE static i64 collapse(const uint8_t *data, i64 size, const uint8_t *table, uint8_t *out)
{
    i64 done = 0;
    uint8_t made[BLOCK + 1] = {' '};
    for (; size >= BLOCK; data += BLOCK, size -= BLOCK, made[0] = made[BLOCK]) {
        for (i64 i = 0; i < BLOCK; i++)
            made[i + 1] = table[data[i]];
        done = append_block(made, BLOCK, out, done);
    }
    for (i64 i = 0; i < size; i++)
        made[i + 1] = table[data[i]];
    done = append_block(made, size, out, done);
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
        lengths[row] = collapse(data + offsets[row], offsets[row + 1] - offsets[row], table, out + done);
        done += lengths[row];
    }
    Py_END_ALLOW_THREADS
    release(b, 5);
    return PyLong_FromLongLong(done);
}

/* Parts of an entry of a table of characters, as in character_mapping.py. */
#define IN_CONTEXT (1u << 31)
#define CODE_POINT ((1u << 21) - 1)

/* Why the texts cannot be mapped here. Other numbers below 0: -1 - a code point that has no entry. */
#define NEEDS_STR (-1 - (i64)CODE_POINTS)
#define NO_ROOM (NEEDS_STR - 1)

/* One result of work on characters, as Python sees it. */
static PyObject *result(i64 size)
{
    if (size == NEEDS_STR)
        Py_RETURN_NONE;
    return PyLong_FromLongLong(size);
}

/* Where the mapped characters go. */
typedef struct {
    uint8_t *out;
    i64 room, size;     /* bytes */
    void *points;
    i64 width;          /* bytes of each code point: 2 or 4 */
    i64 most, count;    /* code points */
    any_i64 *strides;
    i64 stride;
} Mapped;

static inline int append(Mapped *to, u32 point)
{
    if (to->room - to->size < 4 || to->count == to->most)
        return 0;
    if (to->count % to->stride == 0)
        to->strides[to->count / to->stride] = to->size;
    if (to->width == 2)
        ((uint16_t *)to->points)[to->count++] = (uint16_t)point;
    else
        ((u32 *)to->points)[to->count++] = point;
    uint8_t *at = to->out + to->size;
    if (point < 0x80) {
        *at = (uint8_t)point;
        to->size += 1;
    } else if (point < 0x800) {
        at[0] = (uint8_t)(0xC0 | point >> 6);
        at[1] = 0x80 | (point & 0x3F);
        to->size += 2;
    } else if (point < 0x10000) {
        at[0] = (uint8_t)(0xE0 | point >> 12);
        at[1] = 0x80 | (point >> 6 & 0x3F);
        at[2] = 0x80 | (point & 0x3F);
        to->size += 3;
    } else {
        at[0] = (uint8_t)(0xF0 | point >> 18);
        at[1] = 0x80 | (point >> 12 & 0x3F);
        at[2] = 0x80 | (point >> 6 & 0x3F);
        at[3] = 0x80 | (point & 0x3F);
        to->size += 4;
    }
    return 1;
}

/* Append one text. Return 0, or a number below 0. */
static i64 map_text(const uint8_t *at, const uint8_t *end, const any_u32 *table, Mapped *to)
{
    u32 gap = 0;        /* what the whitespace before becomes; it is written when a character follows */
    int size, begun = 0;
    for (; at < end; at += size) {
        const u32 point = code_point(at, end, &size);
        if (!size)
            return NEEDS_STR;
        const u32 entry = table[point], made = entry & CODE_POINT;
        if (!entry)
            return -1 - (i64)point;
        if (entry & IN_CONTEXT || made >= CODE_POINTS || (made >= 0xD800 && made < 0xE000)
            || (to->width == 2 && made > 0xFFFF))
            return NEEDS_STR;
        if (made == ' ' || made == '\n') {
            gap = gap == '\n' ? gap : made;
            continue;
        }
        if (gap && begun && !append(to, gap))
            return NO_ROOM;
        if (!append(to, made))
            return NO_ROOM;
        gap = 0;
        begun = 1;
    }
    return 0;
}

const char mapped_doc[] =
    "mapped(data, offsets, table, stride, out, points, width, strides, sizes, lengths) -> size: as collapsed, for UTF-8.\n"
    "table: an entry for each code point. points: the code points that are made, `width` bytes each. strides: where in out\n"
    "the code points 0, stride, ... begin. sizes, lengths: bytes and code points of each row. A size below 0 is -1 - a\n"
    "code point whose entry is 0. None: a text is not UTF-8, or a character depends on its context.";

PyObject *mapped(PyObject *self, PyObject *args)
{
    Py_buffer b[8] = {{0}};
    Py_ssize_t stride, width;
    if (!PyArg_ParseTuple(args, "y*y*y*nw*w*nw*w*w*", &b[0], &b[1], &b[2], &stride, &b[3], &b[4], &width, &b[5], &b[6],
                          &b[7]))
        return NULL;
    const i64 rows = items(&b[1], 8) - 1;
    if (!are_offsets(&b[1], b[0].len) || b[2].len != 4 * CODE_POINTS || b[6].len != 8 * rows || b[7].len != 8 * rows
        || (width != 2 && width != 4) || (uintptr_t)b[4].buf % (uintptr_t)width || stride < 1
        || items(&b[5], 8) < items(&b[4], width) / stride + 1)
        return refuse(b, 8, "mapped: wrong offsets or tables");
    Mapped to = {b[3].buf, b[3].len, 0, b[4].buf, width, items(&b[4], width), 0, b[5].buf, stride};
    i64 failed = 0;
    Py_BEGIN_ALLOW_THREADS
    const any_i64 *offsets = b[1].buf;
    const uint8_t *data = b[0].buf;
    any_i64 *sizes = b[6].buf, *lengths = b[7].buf;
    for (i64 row = 0; row < rows && !failed; row++) {
        const i64 size = to.size, count = to.count;
        failed = map_text(data + offsets[row], data + offsets[row + 1], b[2].buf, &to);
        sizes[row] = to.size - size;
        lengths[row] = to.count - count;
    }
    to.strides[to.count / stride] = to.count % stride ? to.strides[to.count / stride] : to.size;
    Py_END_ALLOW_THREADS
    if (failed == NO_ROOM)
        return refuse(b, 8, "mapped: no room for the result");
    release(b, 8);
    return result(failed ? failed : to.size);
}

/* Kinds of characters, as in character_kinds.py. */
#define WORD 2
#define MARK 4
#define UNSPACED 8

/* Where the hashes of words go. */
typedef struct {
    any_u32 *out;
    i64 room, count;
    u32 seed;
} Words;

static inline int add_word(Words *to, const uint8_t *begin, const uint8_t *end)
{
    if (to->count == to->room)
        return 0;
    to->out[to->count++] = hash_bytes(begin, end - begin, to->seed);
    return 1;
}

/* The words of a text in ASCII. Return 0, or NO_ROOM. */
static i64 ascii_words(const uint8_t *at, const uint8_t *end, const uint8_t *kinds, Words *to)
{
    while (at < end) {
        if (!(kinds[*at] & WORD)) {
            at++;
            continue;
        }
        const uint8_t *begin = at++;
        while (at < end && kinds[*at] & WORD)
            at++;
        if (!add_word(to, begin, at))
            return NO_ROOM;
    }
    return 0;
}

/* The words of any text. A mark is what the character before it is. Return 0, or a number below 0. */
static i64 all_words(const uint8_t *at, const uint8_t *end, const uint8_t *kinds, Words *to)
{
    const uint8_t *begin = NULL, *first = at;
    unsigned word = 0, joins = 0;   /* whether the character before is in a word, and whether its word can go on */
    int size;
    for (; at < end; at += size) {
        const u32 point = code_point(at, end, &size);
        if (!size)
            return NEEDS_STR;
        const unsigned found = kinds[point], was_word = word, joined = joins;
        if (!found)
            return -1 - (i64)point;
        if (!(found & MARK) || at == first) {
            word = found & WORD;
            joins = word && !(found & UNSPACED);
        }
        const int begins = word && (!was_word || found & UNSPACED || (joins && !joined));
        if (begin && (!word || begins)) {
            if (!add_word(to, begin, at))
                return NO_ROOM;
            begin = NULL;
        }
        if (begins)
            begin = at;
    }
    return begin && !add_word(to, begin, end) ? NO_ROOM : 0;
}

const char word_hashes_doc[] =
    "word_hashes(data, offsets, kinds, seed, out, counts) -> words: the hash of each word of every row of UTF-8.\n"
    "kinds: of each code point. out: room for half of the bytes. counts: the words of each row. A number below 0 is -1 - a\n"
    "code point whose kinds are 0. None: a row is not UTF-8.";

PyObject *word_hashes(PyObject *self, PyObject *args)
{
    Py_buffer b[5] = {{0}};
    Words to = {0};
    if (!PyArg_ParseTuple(args, "y*y*y*Iw*w*", &b[0], &b[1], &b[2], &to.seed, &b[3], &b[4]))
        return NULL;
    const i64 rows = items(&b[1], 8) - 1;
    if (!are_offsets(&b[1], b[0].len) || b[2].len != CODE_POINTS || b[4].len != 8 * rows)
        return refuse(b, 5, "word_hashes: wrong offsets or tables");
    const uint8_t *kinds = b[2].buf;
    to.out = b[3].buf;
    to.room = items(&b[3], 4);
    i64 failed = kinds[0] ? 0 : -1;
    Py_BEGIN_ALLOW_THREADS
    const any_i64 *offsets = b[1].buf;
    any_i64 *counts = b[4].buf;
    for (i64 row = 0; row < rows && !failed; row++) {
        const uint8_t *at = (const uint8_t *)b[0].buf + offsets[row], *end = (const uint8_t *)b[0].buf + offsets[row + 1];
        const i64 before = to.count;
        const int is_ascii = after_ascii(at, end) == end;
        failed = is_ascii ? ascii_words(at, end, kinds, &to) : all_words(at, end, kinds, &to);
        counts[row] = to.count - before;
    }
    Py_END_ALLOW_THREADS
    if (failed == NO_ROOM)
        return refuse(b, 5, "word_hashes: no room for the result");
    release(b, 5);
    return result(failed ? failed : to.count);
}
