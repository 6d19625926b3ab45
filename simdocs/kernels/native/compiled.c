/* Kernels in C: the same functions from arrays to arrays as in NumPy, with the same bytes.
 *
 * Only integers are computed, so nothing can be rounded differently. Arguments are contiguous buffers of a stated type;
 * functions.py allocates them. Every length and every position is checked before it is used, because arrays may come from
 * a forged artifact. The GIL is released while a function works. Numbers are read from bytes as little-endian.
 */
#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "only for little-endian machines; others use NumPy"
#endif

/* The widest vectors that the processor has are chosen when the program starts. That needs ifunc, which glibc has. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) \
    && !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define WIDE
#endif

typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t i64;

/* Arrays that NumPy has sliced may begin at any address. */
typedef u32 any_u32 __attribute__((aligned(1), may_alias));
typedef i64 any_i64 __attribute__((aligned(1), may_alias));

/* ---------------------------------------------------------------------------------------------------------------------
 * MurmurHash3_x86_32, by Austin Appleby (public domain). Each block of 4 bytes is mixed by itself, and then stirred into
 * the hash, so overlapping windows share the mixing.
 */

#define ROTATE(x, by) ((x) << (by) | (x) >> (32 - (by)))

static inline u32 mix(u32 block)
{
    block *= 0xCC9E2D51u;
    return ROTATE(block, 15) * 0x1B873593u;
}

static inline u32 stir(u32 state, u32 mixed)
{
    state ^= mixed;
    return ROTATE(state, 13) * 5 + 0xE6546B64u;
}

static inline u32 fmix32(u32 x)
{
    x = (x ^ x >> 16) * 0x85EBCA6Bu;
    x = (x ^ x >> 13) * 0xC2B2AE35u;
    return x ^ x >> 16;
}

static inline u32 hash_bytes(const uint8_t *data, i64 size, u32 seed)
{
    u32 state = seed, tail = 0;
    const uint8_t *end = data + (size & ~(i64)3);
    for (; data < end; data += 4)
        state = stir(state, mix(*(const any_u32 *)data));
    switch (size & 3) {
    case 3: tail |= (u32)data[2] << 16; /* fall through */
    case 2: tail |= (u32)data[1] << 8;  /* fall through */
    case 1: state ^= mix(tail | data[0]);
    }
    return fmix32(state ^ (u32)size);
}

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

/* ---------------------------------------------------------------------------------------------------------------------
 * Sorting. Tokens are hashes, so two passes by their high bits leave nearly all of them in order, and the rest is moved
 * by insertion. A row for which that takes too many moves, because it was forged, is sorted by all its bytes.
 */

#define SMALL 32           /* rows that are sorted by insertion */
#define FEW 1024           /* shorter rows have two digits of 8 bits, because larger tables of counts take longer */
#define MOST_DIGITS 2048   /* longer rows have two digits of 11 bits: their counts stay in the level-1 cache */
#define COUNTS (2 * MOST_DIGITS)
#define MOST_MOVES 4       /* for each value */
#define LARGE (1 << 20)    /* rows whose values are moved in place, so that no second copy is needed */

/* Return whether the values are sorted after at most this number of moves. Equal values are not moved. */
static inline int insertion_sort(u32 *values, i64 count, i64 most)
{
    for (i64 i = 1; i < count; i++) {
        const u32 value = values[i];
        if (value >= values[i - 1])
            continue;
        i64 at = i;
        do
            values[at] = values[at - 1];
        while (--at > 0 && values[at - 1] > value);
        values[at] = value;
        if ((most -= i - at) < 0)
            return 0;
    }
    return 1;
}

/* One pass: move values from `from` to `to` by one digit. counts: how many values have each digit; overwritten. */
static inline void move_by_digit(const u32 *from, u32 *to, i64 count, int shift, u32 digits, u32 *counts)
{
    u32 begin = 0;
    for (u32 digit = 0; digit < digits; digit++) {
        const u32 size = counts[digit];
        counts[digit] = begin;
        begin += size;
    }
    for (i64 i = 0; i < count; i++)
        to[counts[from[i] >> shift & (digits - 1)]++] = from[i];
}

static inline void sort_by_digits(u32 *values, i64 count, int low, int bits, u32 *spare, u32 *counts)
{
    const u32 digits = 1u << bits, mask = digits - 1;
    memset(counts, 0, 2 * digits * sizeof *counts);
    for (i64 i = 0; i < count; i++) {
        counts[values[i] >> low & mask]++;
        counts[digits + (values[i] >> (low + bits) & mask)]++;
    }
    move_by_digit(values, spare, count, low, digits, counts);
    move_by_digit(spare, values, count, low + bits, digits, counts + digits);
}

/* spare: as many values. counts: COUNTS. */
static void sort_values(u32 *values, i64 count, u32 *spare, u32 *counts)
{
    if (count <= SMALL) {
        insertion_sort(values, count, INT64_MAX);
        return;
    }
    if (count < FEW)
        sort_by_digits(values, count, 16, 8, spare, counts);
    else
        sort_by_digits(values, count, 10, 11, spare, counts);
    if (!insertion_sort(values, count, MOST_MOVES * count)) {
        sort_by_digits(values, count, 0, 8, spare, counts);
        sort_by_digits(values, count, 16, 8, spare, counts);
    }
}

/* Move values in place into 256 parts by one byte, and sort each part. spare: LARGE values. */
static void sort_large(u32 *values, i64 count, int shift, u32 *spare, u32 *counts)
{
    if (count <= LARGE) {
        sort_values(values, count, spare, counts);
        return;
    }
    if (shift < 0)
        return;  /* all are equal */
    i64 begins[257] = {0}, at[256];
    for (i64 i = 0; i < count; i++)
        begins[(values[i] >> shift & 255) + 1]++;
    for (int digit = 0; digit < 256; digit++)
        begins[digit + 1] += begins[digit];
    memcpy(at, begins, sizeof at);
    for (int digit = 0; digit < 256; digit++)
        while (at[digit] < begins[digit + 1]) {
            u32 value = values[at[digit]];
            for (int its = value >> shift & 255; its != digit; its = value >> shift & 255) {
                const u32 other = values[at[its]];
                values[at[its]++] = value;
                value = other;
            }
            values[at[digit]++] = value;
        }
    for (int digit = 0; digit < 256; digit++)
        sort_large(values + begins[digit], begins[digit + 1] - begins[digit], shift - 8, spare, counts);
}

/* Move the distinct values of a sorted row to `out`, which may begin before it. Return how many there are. */
static i64 keep_firsts(const u32 *values, i64 count, u32 *out)
{
    i64 kept = 0;
    for (i64 i = 0; i < count; i++) {
        const u32 value = values[i];
        out[kept] = value;
        kept += i + 1 == count || value != values[i + 1];
    }
    return kept;
}

/* A key and where it was. */
typedef struct {
    u64 key;
    u32 place;
} Entry;

static void move_entries(const Entry *from, Entry *to, i64 count, int shift, u32 *counts)
{
    memset(counts, 0, MOST_DIGITS * sizeof *counts);
    for (i64 i = 0; i < count; i++)
        counts[from[i].key >> shift & (MOST_DIGITS - 1)]++;
    u32 begin = 0;
    for (u32 digit = 0; digit < MOST_DIGITS; digit++) {
        const u32 size = counts[digit];
        counts[digit] = begin;
        begin += size;
    }
    for (i64 i = 0; i < count; i++)
        to[counts[from[i].key >> shift & (MOST_DIGITS - 1)]++] = from[i];
}

/* Sort by digits of 11 bits from `shift` on. Return the array, of the two, that has the result. */
static Entry *sort_entries(Entry *entries, Entry *spare, i64 count, int shift, u32 *counts)
{
    for (; shift < 64; shift += 11) {
        move_entries(entries, spare, count, shift, counts);
        Entry *swap = entries;
        entries = spare;
        spare = swap;
    }
    return entries;
}

/* As insertion_sort, for keys. Equal keys keep their order. */
static int insert_entries(Entry *entries, i64 count, i64 most)
{
    for (i64 i = 1; i < count; i++) {
        const Entry entry = entries[i];
        if (entry.key >= entries[i - 1].key)
            continue;
        i64 at = i;
        do
            entries[at] = entries[at - 1];
        while (--at > 0 && entries[at - 1].key > entry.key);
        entries[at] = entry;
        if ((most -= i - at) < 0)
            return 0;
    }
    return 1;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Fast Similarity Sketching: Dahlgaard, Knudsen, Thorup (FOCS 2017), section 2, as in kernels/sketch/fss.py.
 */

/* filled: the round that has filled each bin, or -1. Return how many bins are still empty. */
static i64 fss_round(const any_u32 *tokens, i64 count, int round, i64 bins, u32 *out, int32_t *filled)
{
    i64 empty = bins;
    if (round == 0)
        for (i64 i = 0; i < count; i++) {
            const u64 bin = (u64)tokens[i] * (u64)bins >> 32;
            const u32 least = out[bin];
            filled[bin] = 0;
            out[bin] = tokens[i] < least ? tokens[i] : least;
        }
    else if (round < bins)
        for (i64 i = 0; i < count; i++) {
            const u32 hash = fmix32(tokens[i] + (u32)round * 0x9E3779B9u);
            const u64 bin = (u64)hash * (u64)bins >> 32;
            if (filled[bin] < 0 || (filled[bin] == round && hash < out[bin])) {
                filled[bin] = round;
                out[bin] = hash;
            }
        }
    else if (filled[round - bins] < 0) {
        u32 least = 0xFFFFFFFFu;
        for (i64 i = 0; i < count; i++) {
            const u32 hash = fmix32(tokens[i] + (u32)round * 0x9E3779B9u);
            least = hash < least ? hash : least;
        }
        filled[round - bins] = round;
        out[round - bins] = least;
    }
    for (i64 bin = 0; bin < bins; bin++)
        empty -= filled[bin] >= 0;
    return empty;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * What Python calls. Each function parses its arguments, checks them, and works without the GIL.
 */

typedef Py_buffer *Buffers;

static void release(Buffers buffers, int count)
{
    while (count--)
        if (buffers[count].obj)
            PyBuffer_Release(&buffers[count]);
}

static PyObject *refuse(Buffers buffers, int count, const char *why)
{
    release(buffers, count);
    PyErr_SetString(PyExc_ValueError, why);
    return NULL;
}

static PyObject *no_memory(Buffers buffers, int count)
{
    release(buffers, count);
    return PyErr_NoMemory();
}

static inline i64 items(const Py_buffer *buffer, i64 size)
{
    return buffer->len / size;
}

/* Whether offsets of at least one number ascend from 0 to at most `end`. */
static int are_offsets(const Py_buffer *buffer, i64 end)
{
    const any_i64 *offsets = buffer->buf;
    const i64 count = items(buffer, 8);
    if (count < 1 || buffer->len % 8 || offsets[0] != 0)
        return 0;
    for (i64 i = 1; i < count; i++)
        if (offsets[i] < offsets[i - 1])
            return 0;
    return offsets[count - 1] <= end;
}

static i64 longest_row(const any_i64 *offsets, i64 rows)
{
    i64 most = 0;
    for (i64 row = 0; row < rows; row++)
        if (offsets[row + 1] - offsets[row] > most)
            most = offsets[row + 1] - offsets[row];
    return most;
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

PyDoc_STRVAR(byte_tokens_doc, "byte_tokens(data, offsets, k, seed, out): the tokens of k bytes each of every row.");

static PyObject *byte_tokens(PyObject *self, PyObject *args)
{
    Py_buffer b[3] = {{0}};
    Py_ssize_t k;
    unsigned int seed;
    if (!PyArg_ParseTuple(args, "y*y*nIw*", &b[0], &b[1], &k, &seed, &b[2]))
        return NULL;
    const i64 rows = items(&b[1], 8) - 1;
    if (k < 1 || !are_offsets(&b[1], b[0].len))
        return refuse(b, 3, "byte_tokens: wrong offsets");
    const any_i64 *offsets = b[1].buf;
    if (items(&b[2], 4) != window_count(offsets, rows, k))
        return refuse(b, 3, "byte_tokens: wrong size of the result");
    const i64 room = CHUNK + k + 4;
    u32 *scratch = malloc((size_t)(room * 5 + 8));
    if (!scratch)
        return no_memory(b, 3);
    Py_BEGIN_ALLOW_THREADS
    any_u32 *out = b[2].buf;
    for (i64 row = 0; row < rows; row++) {
        const uint8_t *data = (const uint8_t *)b[0].buf + offsets[row];
        const i64 size = offsets[row + 1] - offsets[row];
        if (size >= k) {
            byte_windows(data, size - k + 1, k, seed, out, (uint8_t *)(scratch + room), scratch);
            out += size - k + 1;
        } else if (size)
            *out++ = hash_bytes(data, size, seed);
    }
    Py_END_ALLOW_THREADS
    free(scratch);
    release(b, 3);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(number_tokens_doc,
             "number_tokens(numbers, offsets, k, seed): replace numbers by the tokens of k numbers each of every row.");

static PyObject *number_tokens(PyObject *self, PyObject *args)
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

PyDoc_STRVAR(byte_strings_doc, "byte_strings(data, starts, lengths, seed, out): the hash of each string of bytes.");

static PyObject *byte_strings(PyObject *self, PyObject *args)
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

PyDoc_STRVAR(word_hashes_doc,
             "word_hashes(data, offsets, is_word, seed, out, counts) -> words: the hash of each run of bytes in a word.\n"
             "is_word: 256 bytes. out: room for half of the bytes. counts: the words of each row.");

static PyObject *word_hashes(PyObject *self, PyObject *args)
{
    Py_buffer b[5] = {{0}};
    unsigned int seed;
    if (!PyArg_ParseTuple(args, "y*y*y*Iw*w*", &b[0], &b[1], &b[2], &seed, &b[3], &b[4]))
        return NULL;
    const i64 rows = items(&b[1], 8) - 1;
    if (!are_offsets(&b[1], b[0].len) || b[2].len != 256 || b[4].len != 8 * rows)
        return refuse(b, 5, "word_hashes: wrong offsets or tables");
    const any_i64 *offsets = b[1].buf;
    i64 most = 0;
    for (i64 row = 0; row < rows; row++)
        most += (offsets[row + 1] - offsets[row] + 1) / 2;
    if (items(&b[3], 4) < most)
        return refuse(b, 5, "word_hashes: no room for the result");
    i64 words = 0;
    Py_BEGIN_ALLOW_THREADS
    const uint8_t *is_word = b[2].buf;
    any_u32 *out = b[3].buf;
    any_i64 *counts = b[4].buf;
    for (i64 row = 0; row < rows; row++) {
        const uint8_t *at = (const uint8_t *)b[0].buf + offsets[row];
        const uint8_t *end = (const uint8_t *)b[0].buf + offsets[row + 1];
        const i64 before = words;
        while (at < end) {
            if (!is_word[*at]) {
                at++;
                continue;
            }
            const uint8_t *begin = at++;
            while (at < end && is_word[*at])
                at++;
            out[words++] = hash_bytes(begin, at - begin, seed);
        }
        counts[row] = words - before;
    }
    Py_END_ALLOW_THREADS
    release(b, 5);
    return PyLong_FromLongLong(words);
}

PyDoc_STRVAR(is_ascii_doc, "is_ascii(data) -> bool: whether all bytes are ASCII.");

WIDE static uint8_t bits_of(const uint8_t *data, i64 size)
{
    uint8_t seen = 0;
    for (i64 i = 0; i < size; i++)
        seen |= data[i];
    return seen;
}

static PyObject *is_ascii(PyObject *self, PyObject *args)
{
    Py_buffer b[1] = {{0}};
    if (!PyArg_ParseTuple(args, "y*", &b[0]))
        return NULL;
    uint8_t seen;
    Py_BEGIN_ALLOW_THREADS
    seen = bits_of(b[0].buf, b[0].len);
    Py_END_ALLOW_THREADS
    release(b, 1);
    return PyBool_FromLong(seen < 0x80);
}

PyDoc_STRVAR(collapsed_doc,
             "collapsed(data, offsets, table, out, lengths) -> size: ASCII texts with each byte mapped, each run of SPACE\n"
             "and NEWLINE made one character, and none at the ends of a row.");

static PyObject *collapsed(PyObject *self, PyObject *args)
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
        const i64 begin = done;
        unsigned after = 1;  /* whether the character before is whitespace, or there is none */
        for (i64 i = offsets[row]; i < offsets[row + 1]; i++) {
            const uint8_t made = table[data[i]];
            const unsigned space = made == ' ' || made == '\n';
            out[done] = made;
            done += !(space & after);
            if (space & after && made == '\n' && done > begin)
                out[done - 1] = '\n';
            after = space;
        }
        if (done > begin && (out[done - 1] == ' ' || out[done - 1] == '\n'))
            done--;
        lengths[row] = done - begin;
    }
    Py_END_ALLOW_THREADS
    release(b, 5);
    return PyLong_FromLongLong(done);
}

PyDoc_STRVAR(sets_doc,
             "sets(values, offsets, lengths) -> size: sort each row in place and move its distinct values to the front.");

static PyObject *sets(PyObject *self, PyObject *args)
{
    Py_buffer b[3] = {{0}};
    if (!PyArg_ParseTuple(args, "w*y*w*", &b[0], &b[1], &b[2]))
        return NULL;
    const i64 rows = items(&b[1], 8) - 1;
    if (!are_offsets(&b[1], items(&b[0], 4)) || b[2].len != 8 * rows || (uintptr_t)b[0].buf % sizeof(u32))
        return refuse(b, 3, "sets: wrong offsets");
    const any_i64 *offsets = b[1].buf;
    i64 room = longest_row(offsets, rows);
    room = room < LARGE ? room : LARGE;
    u32 *scratch = malloc((size_t)(room + COUNTS) * sizeof *scratch);
    if (!scratch)
        return no_memory(b, 3);
    i64 done = 0;
    Py_BEGIN_ALLOW_THREADS
    u32 *values = b[0].buf;
    any_i64 *lengths = b[2].buf;
    for (i64 row = 0; row < rows; row++) {
        u32 *here = values + offsets[row];
        const i64 size = offsets[row + 1] - offsets[row];
        sort_large(here, size, 24, scratch + COUNTS, scratch);
        lengths[row] = keep_firsts(here, size, values + done);
        done += lengths[row];
    }
    Py_END_ALLOW_THREADS
    free(scratch);
    release(b, 3);
    return PyLong_FromLongLong(done);
}

PyDoc_STRVAR(overlaps_doc, "overlaps(values, offsets, left, right, out): how many values two ascending rows share.");

static PyObject *overlaps(PyObject *self, PyObject *args)
{
    Py_buffer b[5] = {{0}};
    if (!PyArg_ParseTuple(args, "y*y*y*y*w*", &b[0], &b[1], &b[2], &b[3], &b[4]))
        return NULL;
    const i64 rows = items(&b[1], 8) - 1, pairs = items(&b[2], 8);
    if (!are_offsets(&b[1], items(&b[0], 4)) || b[3].len != 8 * pairs || b[4].len != 8 * pairs)
        return refuse(b, 5, "overlaps: wrong offsets");
    const any_i64 *left = b[2].buf, *right = b[3].buf;
    for (i64 pair = 0; pair < pairs; pair++)
        if (left[pair] < 0 || left[pair] >= rows || right[pair] < 0 || right[pair] >= rows)
            return refuse(b, 5, "overlaps: a row that is not there");
    Py_BEGIN_ALLOW_THREADS
    const any_u32 *values = b[0].buf;
    const any_i64 *offsets = b[1].buf;
    any_i64 *out = b[4].buf;
    for (i64 pair = 0; pair < pairs; pair++) {
        i64 i = offsets[left[pair]], j = offsets[right[pair]], common = 0;
        const i64 i_end = offsets[left[pair] + 1], j_end = offsets[right[pair] + 1];
        while (i < i_end && j < j_end) {
            const u32 one = values[i], other = values[j];
            common += one == other;
            i += one <= other;
            j += other <= one;
        }
        out[pair] = common;
    }
    Py_END_ALLOW_THREADS
    release(b, 5);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(fss_doc, "fss(tokens, offsets, out): the signature of each row, by Fast Similarity Sketching.");

static PyObject *fss(PyObject *self, PyObject *args)
{
    Py_buffer b[3] = {{0}};
    if (!PyArg_ParseTuple(args, "y*y*w*", &b[0], &b[1], &b[2]))
        return NULL;
    const i64 rows = items(&b[1], 8) - 1;
    if (!are_offsets(&b[1], items(&b[0], 4)) || b[2].len % 4 || (rows ? items(&b[2], 4) % rows : b[2].len))
        return refuse(b, 3, "fss: wrong offsets");
    const any_i64 *offsets = b[1].buf;
    const i64 bins = rows ? items(&b[2], 4) / rows : 0;
    if (bins > INT32_MAX / 4)
        return refuse(b, 3, "fss: too many bins");
    i64 room = longest_row(offsets, rows);
    int32_t *filled = malloc((size_t)(bins + 1) * (sizeof *filled + sizeof(u32)));
    if (!filled)
        return no_memory(b, 3);
    int failed = 0;
    Py_BEGIN_ALLOW_THREADS
    u32 *signature = (u32 *)(filled + bins), *distinct = NULL;
    uint8_t *out = b[2].buf;
    for (i64 row = 0; row < rows && !failed; row++, out += 4 * bins) {
        const any_u32 *tokens = (const any_u32 *)b[0].buf + offsets[row];
        i64 size = offsets[row + 1] - offsets[row];
        memset(filled, 0xFF, (size_t)bins * sizeof *filled);
        memset(signature, 0xFF, (size_t)bins * sizeof *signature);
        i64 empty = size ? fss_round(tokens, size, 0, bins, signature, filled) : 0;
        /* A long row that leaves a bin empty repeats few tokens, and a round would look at each of them again. */
        if (empty && size > 8 * bins + 1024) {
            if (!distinct)
                distinct = malloc((size_t)(room + LARGE + COUNTS) * sizeof *distinct);
            if (!distinct) {
                failed = 1;
                break;
            }
            u32 *counts = distinct + room;
            memcpy(distinct, tokens, (size_t)size * sizeof *distinct);
            sort_large(distinct, size, 24, counts + COUNTS, counts);
            size = keep_firsts(distinct, size, distinct);
            tokens = distinct;
        }
        for (int round = 1; empty && round < 2 * bins; round++)
            empty = fss_round(tokens, size, round, bins, signature, filled);
        memcpy(out, signature, (size_t)bins * sizeof *signature);
    }
    free(distinct);
    Py_END_ALLOW_THREADS
    free(filled);
    if (failed)
        return no_memory(b, 3);
    release(b, 3);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(agreements_doc,
             "agreements(signatures, width, left, right, out): at how many positions two rows of numbers agree.");

WIDE static i64 equal_numbers(const any_u32 *a, const any_u32 *b, i64 count)
{
    u32 equal = 0;
    for (i64 i = 0; i < count; i++)
        equal += a[i] == b[i];
    return equal;
}

static PyObject *agreements(PyObject *self, PyObject *args)
{
    Py_buffer b[4] = {{0}};
    Py_ssize_t width;
    if (!PyArg_ParseTuple(args, "y*ny*y*w*", &b[0], &width, &b[1], &b[2], &b[3]))
        return NULL;
    const i64 pairs = items(&b[1], 8), rows = width > 0 ? items(&b[0], 4) / width : 0;
    if (b[2].len != 8 * pairs || b[3].len != 8 * pairs)
        return refuse(b, 4, "agreements: arrays of different lengths");
    const any_i64 *left = b[1].buf, *right = b[2].buf;
    for (i64 pair = 0; pair < pairs; pair++)
        if (left[pair] < 0 || left[pair] >= rows || right[pair] < 0 || right[pair] >= rows)
            return refuse(b, 4, "agreements: a row that is not there");
    Py_BEGIN_ALLOW_THREADS
    const any_u32 *values = b[0].buf;
    any_i64 *out = b[3].buf;
    for (i64 pair = 0; pair < pairs; pair++)
        out[pair] = equal_numbers(values + left[pair] * width, values + right[pair] * width, width);
    Py_END_ALLOW_THREADS
    release(b, 4);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(band_keys_doc,
             "band_keys(signatures, width, rows_of, first, rows, out): the key of one band of each of these signatures.");

static PyObject *band_keys(PyObject *self, PyObject *args)
{
    Py_buffer b[3] = {{0}};
    Py_ssize_t width, first, count;
    if (!PyArg_ParseTuple(args, "y*ny*nnw*", &b[0], &width, &b[1], &first, &count, &b[2]))
        return NULL;
    const i64 keys = items(&b[1], 8), rows = width > 0 ? items(&b[0], 4) / width : 0;
    if (b[2].len != 8 * keys || first < 0 || count < 0 || first > width || count > width - first)
        return refuse(b, 3, "band_keys: a band that is not there");
    const any_i64 *wanted = b[1].buf;
    for (i64 i = 0; i < keys; i++)
        if (wanted[i] < 0 || wanted[i] >= rows)
            return refuse(b, 3, "band_keys: a row that is not there");
    Py_BEGIN_ALLOW_THREADS
    const u64 factor = 0x9FB21C651E98DF25u;
    uint8_t *out = b[2].buf;
    for (i64 i = 0; i < keys; i++, out += 8) {
        const any_u32 *band = (const any_u32 *)b[0].buf + wanted[i] * width + first;
        u64 key = 0;
        for (i64 row = 0; row < count; row++) {
            key = (key ^ band[row]) * factor;
            key ^= key >> 28;
        }
        key *= factor;
        key ^= key >> 28;
        memcpy(out, &key, 8);
    }
    Py_END_ALLOW_THREADS
    release(b, 3);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(order_doc, "order(keys, out): the places of the keys in ascending order. Equal keys keep their order.");

static PyObject *order(PyObject *self, PyObject *args)
{
    Py_buffer b[2] = {{0}};
    if (!PyArg_ParseTuple(args, "y*w*", &b[0], &b[1]))
        return NULL;
    const i64 count = items(&b[0], 8);
    if (b[0].len != b[1].len || b[0].len % 8 || count > UINT32_MAX)
        return refuse(b, 2, "order: arrays of different lengths");
    Entry *entries = malloc((size_t)(2 * count) * sizeof *entries + MOST_DIGITS * sizeof(u32));
    if (!entries)
        return no_memory(b, 2);
    Py_BEGIN_ALLOW_THREADS
    u32 *counts = (u32 *)(entries + 2 * count);
    const uint8_t *keys = b[0].buf;
    for (int all = 0; all < 2; all++) {  /* a second time only if keys were forged */
        for (i64 i = 0; i < count; i++) {
            memcpy(&entries[i].key, keys + 8 * i, 8);
            entries[i].place = (u32)i;
        }
        const int shift = all ? 0 : count < LARGE ? 42 : 31;
        Entry *sorted = sort_entries(entries, entries + count, count, shift, counts);
        if (all || insert_entries(sorted, count, MOST_MOVES * count)) {
            any_i64 *out = b[1].buf;
            for (i64 i = 0; i < count; i++)
                out[i] = sorted[i].place;
            break;
        }
    }
    Py_END_ALLOW_THREADS
    free(entries);
    release(b, 2);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"byte_tokens", byte_tokens, METH_VARARGS, byte_tokens_doc},
    {"number_tokens", number_tokens, METH_VARARGS, number_tokens_doc},
    {"byte_strings", byte_strings, METH_VARARGS, byte_strings_doc},
    {"word_hashes", word_hashes, METH_VARARGS, word_hashes_doc},
    {"is_ascii", is_ascii, METH_VARARGS, is_ascii_doc},
    {"collapsed", collapsed, METH_VARARGS, collapsed_doc},
    {"sets", sets, METH_VARARGS, sets_doc},
    {"overlaps", overlaps, METH_VARARGS, overlaps_doc},
    {"fss", fss, METH_VARARGS, fss_doc},
    {"agreements", agreements, METH_VARARGS, agreements_doc},
    {"band_keys", band_keys, METH_VARARGS, band_keys_doc},
    {"order", order, METH_VARARGS, order_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "compiled", "Kernels in C.", 0, methods, slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit_compiled(void)
{
    return PyModuleDef_Init(&module);
}
