/* Sorting: sets of tokens, and the order of keys. */
#include "compiled.h"

/* Tokens are hashes, so two passes by their high bits leave nearly all of them in order, and the rest is moved
 * by insertion. A row for which that takes too many moves, because it was forged, is sorted by all its bytes.
 */

#define SMALL 32           /* rows that are sorted by insertion */
#define FEW 1024           /* shorter rows have two digits of 8 bits, because larger tables of counts take longer */
#define MOST_MOVES 4       /* for each value */

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

/* Replace how many values have each digit by where they begin. */
static inline void counts_to_begins(u32 *counts, u32 digits)
{
    u32 begin = 0;
    for (u32 digit = 0; digit < digits; digit++) {
        const u32 size = counts[digit];
        counts[digit] = begin;
        begin += size;
    }
}

/* One pass: move values from `from` to `to` by one digit. counts: how many values have each digit; overwritten. */
static inline void move_by_digit(const u32 *from, u32 *to, i64 count, int shift, u32 digits, u32 *counts)
{
    counts_to_begins(counts, digits);
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
void sort_large(u32 *values, i64 count, int shift, u32 *spare, u32 *counts)
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
i64 keep_firsts(const u32 *values, i64 count, u32 *out)
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
    counts_to_begins(counts, MOST_DIGITS);
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

const char sets_doc[] =
    "sets(values, offsets, lengths) -> size: sort each row in place and move its distinct values to the front.";

PyObject *sets(PyObject *self, PyObject *args)
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

const char order_doc[] =
    "order(keys, out): the places of the keys in ascending order. Equal keys keep their order.";

PyObject *order(PyObject *self, PyObject *args)
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

const char positions_doc[] =
    "positions(members, starts, out): the positions of each member, ascending, member by member.\n"
    "starts: is written; where those of each member begin in out, and the end.";

PyObject *positions(PyObject *self, PyObject *args)
{
    Py_buffer b[3] = {{0}};
    if (!PyArg_ParseTuple(args, "y*w*w*", &b[0], &b[1], &b[2]))
        return NULL;
    const i64 count = items(&b[0], 4), size = items(&b[1], 8) - 1;
    if (size < 0 || b[2].len != 4 * count || count > INT32_MAX)
        return refuse(b, 3, "positions: wrong size of the result");
    const any_u32 *members = b[0].buf;
    for (i64 i = 0; i < count; i++)
        if (members[i] >= size)
            return refuse(b, 3, "positions: a member that is not there");
    Py_BEGIN_ALLOW_THREADS
    any_i64 *starts = b[1].buf;
    any_u32 *out = b[2].buf;
    memset(starts, 0, (size_t)b[1].len);
    for (i64 i = 0; i < count; i++)
        starts[members[i] + 1]++;
    for (i64 member = 0; member < size; member++)
        starts[member + 1] += starts[member];
    /* Each start moves to its end, and so becomes the start of the next member. */
    for (i64 i = 0; i < count; i++)
        out[starts[members[i]]++] = (u32)i;
    memmove(starts + 1, starts, (size_t)size * sizeof *starts);
    starts[0] = 0;
    Py_END_ALLOW_THREADS
    release(b, 3);
    Py_RETURN_NONE;
}
