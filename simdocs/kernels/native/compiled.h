/* What the kernels in C share: types, MurmurHash3, checks of arguments, and the functions that Python calls.
 *
 * Only integers are computed, so nothing can be rounded differently than in NumPy. Arguments are contiguous buffers of a
 * stated type; functions.py allocates them. Every length and every position is checked before it is used, because arrays
 * may come from a forged artifact. The GIL is released while a function works. Numbers are read from bytes as
 * little-endian.
 */
#ifndef SIMDOCS_COMPILED_H
#define SIMDOCS_COMPILED_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(hidden)

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

#define CODE_POINTS 0x110000 /* of Unicode; tables have an entry for each */

typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t i64;

/* Arrays that NumPy has sliced may begin at any address. */
typedef u32 any_u32 __attribute__((aligned(1), may_alias));
typedef u64 any_u64 __attribute__((aligned(1), may_alias));
typedef i64 any_i64 __attribute__((aligned(1), may_alias));

/* MurmurHash3_x86_32, by Austin Appleby (public domain). Each block of 4 bytes is mixed by itself, and then stirred into
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

typedef Py_buffer *Buffers;

static inline void release(Buffers buffers, int count)
{
    while (count--)
        if (buffers[count].obj)
            PyBuffer_Release(&buffers[count]);
}

static inline PyObject *refuse(Buffers buffers, int count, const char *why)
{
    release(buffers, count);
    PyErr_SetString(PyExc_ValueError, why);
    return NULL;
}

static inline PyObject *no_memory(Buffers buffers, int count)
{
    release(buffers, count);
    return PyErr_NoMemory();
}

static inline i64 items(const Py_buffer *buffer, i64 size)
{
    return buffer->len / size;
}

/* Whether offsets of at least one number ascend from 0 to at most `end`. */
static inline int are_offsets(const Py_buffer *buffer, i64 end)
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

static inline i64 longest_row(const any_i64 *offsets, i64 rows)
{
    i64 most = 0;
    for (i64 row = 0; row < rows; row++)
        if (offsets[row + 1] - offsets[row] > most)
            most = offsets[row + 1] - offsets[row];
    return most;
}

/* The code point that begins at `at`. size: its bytes in UTF-8, or 0 if they are not valid (RFC 3629). */
static inline u32 code_point(const uint8_t *at, const uint8_t *end, int *size)
{
    const u32 lead = *at;
    const i64 left = end - at;
    u32 found;
    *size = 0;
    if (lead < 0x80) {
        *size = 1;
        return lead;
    }
    if (lead < 0xC2 || left < 2 || (at[1] & 0xC0) != 0x80)
        return 0;
    if (lead < 0xE0) {
        *size = 2;
        return (lead & 0x1F) << 6 | (at[1] & 0x3F);
    }
    if (left < 3 || (at[2] & 0xC0) != 0x80)
        return 0;
    found = (at[1] & 0x3Fu) << 6 | (at[2] & 0x3F);
    if (lead < 0xF0) {
        found |= (lead & 0x0F) << 12;
        *size = found < 0x800 || (found >= 0xD800 && found < 0xE000) ? 0 : 3;
        return found;
    }
    if (left < 4 || (at[3] & 0xC0) != 0x80)
        return 0;
    found = (lead & 0x0F) << 18 | found << 6 | (at[3] & 0x3F);
    *size = found < 0x10000 || found >= CODE_POINTS ? 0 : 4;
    return found;
}

/* The first byte from `at` on that is not ASCII, or `end`. */
static inline const uint8_t *after_ascii(const uint8_t *at, const uint8_t *end)
{
    u64 eight;
    for (; end - at >= 8; at += 8) {
        memcpy(&eight, at, 8);
        if (eight & 0x8080808080808080u)
            break;
    }
    while (at < end && *at < 0x80)
        at++;
    return at;
}

/* Why characters cannot be looked up here. Other numbers below 0: -1 - a code point that has no entry. */
#define NEEDS_STR (-1 - (i64)CODE_POINTS)
#define NO_ROOM (NEEDS_STR - 1)

/* One result of work on characters, as Python sees it. */
static inline PyObject *result(i64 size)
{
    if (size == NEEDS_STR)
        Py_RETURN_NONE;
    return PyLong_FromLongLong(size);
}

/* What Python calls. Each function parses its arguments, checks them, and works without the GIL. */
#define KERNEL(name)            \
    extern const char name##_doc[]; \
    PyObject *name(PyObject *self, PyObject *args)

KERNEL(greatest);
KERNEL(collapsed);
KERNEL(mapped);
KERNEL(pages);
KERNEL(decoded);
KERNEL(word_hashes);
KERNEL(char_tokens);
KERNEL(number_tokens);
KERNEL(byte_strings);
KERNEL(sets);
KERNEL(overlaps);
KERNEL(order);
KERNEL(positions);
KERNEL(fss);
KERNEL(agreements);
KERNEL(band_keys);
KERNEL(read_files);

/* Sorting, in sorting.c. */
#define MOST_DIGITS 2048   /* long rows have two digits of 11 bits: their counts stay in the level-1 cache */
#define COUNTS (2 * MOST_DIGITS)
#define LARGE (1 << 20)    /* longer rows are moved in place, so that no second copy is needed */
void sort_large(u32 *values, i64 count, int shift, u32 *spare, u32 *counts);
i64 keep_firsts(const u32 *values, i64 count, u32 *out);

#endif
