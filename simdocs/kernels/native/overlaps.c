/* What sets of tokens share: two by two by merging, or a few sets with many others by bitmaps. */
#include "compiled.h"

/* Where the same sets occur in many pairs, the tokens of up to SPAN_ROWS left sets get numbers, and each of these sets
 * becomes a bitmap of numbers. The tokens of a right set are looked up once for all pairs that it has with them, and
 * then a pair takes a look at 64 tokens at a time.
 */

#define SPAN_ROWS 64
#define SPAN_VALUES (1 << 17)  /* of the left sets: 1 MiB of bitmaps, if they share nothing */
#define MOST_PROBES 4          /* for each token that is numbered; more are needed only if tokens were forged */

/* Costs, in tenths of a nanosecond: of a token when two sets are merged, is numbered or looked up; of 64 in a bitmap. */
#define MERGED 12
#define NUMBERED 60
#define LOOKED_UP 25
#define WORD 4

/* A table of numbered tokens: entry 0 has no number. */
typedef struct {
    u32 token, number;
} Numbered;

/* Pairs begin to end - 1, which have `rows` different left sets. */
typedef struct {
    const any_u32 *values;
    const any_i64 *offsets, *left, *right;
    any_i64 *out;
    i64 begin, end, rows;
    i64 row[SPAN_ROWS];   /* the left sets */
    u32 *slot;            /* for each row of all, its place among the left sets, if it is one */
    Numbered *table;
    u32 *numbers;         /* of the tokens of the left sets, set by set */
    u64 *bits;            /* of a right set, and then of each left set */
} Span;

static i64 size_of(const Span *span, i64 row)
{
    return span->offsets[row + 1] - span->offsets[row];
}

static i64 merged(const any_u32 *one, i64 ones, const any_u32 *other, i64 others)
{
    i64 i = 0, j = 0, common = 0;
    while (i < ones && j < others) {
        const u32 a = one[i], b = other[j];
        common += a == b;
        i += a <= b;
        j += b <= a;
    }
    return common;
}

static void by_merging(const Span *span)
{
    for (i64 pair = span->begin; pair < span->end; pair++) {
        const i64 left = span->left[pair], right = span->right[pair];
        span->out[pair] = merged(span->values + span->offsets[left], size_of(span, left),
                                 span->values + span->offsets[right], size_of(span, right));
    }
}

/* Give the tokens of the left sets numbers from 1 on, and return the largest, or -1 if that takes too many probes.
 * shift: 32 less the binary digits of the size of the table, which is twice that of the tokens or more.
 */
static i64 number_tokens_of(Span *span, int shift)
{
    const u32 mask = 0xFFFFFFFFu >> shift;
    u32 *numbers = span->numbers;
    u32 last = 0;
    i64 probes = 0;
    memset(span->table, 0, ((size_t)mask + 1) * sizeof *span->table);
    for (i64 at = 0; at < span->rows; at++) {
        const any_u32 *values = span->values + span->offsets[span->row[at]];
        const i64 size = size_of(span, span->row[at]);
        for (i64 i = 0; i < size; i++) {
            const u32 token = values[i];
            u32 cell = token * 0x9E3779B1u >> shift;
            while (span->table[cell].number && span->table[cell].token != token) {
                cell = (cell + 1) & mask;
                probes++;
            }
            if (!span->table[cell].number)
                span->table[cell] = (Numbered){token, ++last};
            numbers[i] = span->table[cell].number;
        }
        numbers += size;
        if (probes > MOST_PROBES * (numbers - span->numbers) + SPAN_ROWS * SPAN_ROWS)
            return -1;
    }
    return last;
}

/* Set the bits of the numbers of these tokens. Bit 0 is for those without a number, and no left set has it. */
static void look_up(const Span *span, i64 row, int shift, u64 *bits)
{
    const any_u32 *values = span->values + span->offsets[row];
    const i64 size = size_of(span, row);
    const u32 mask = 0xFFFFFFFFu >> shift;
    for (i64 i = 0; i < size; i++) {
        const u32 token = values[i];
        u32 cell = token * 0x9E3779B1u >> shift;
        while (span->table[cell].number && span->table[cell].token != token)
            cell = (cell + 1) & mask;
        const u32 number = span->table[cell].number;
        bits[number >> 6] |= (u64)1 << (number & 63);
    }
}

WIDE static i64 bits_in_common(const u64 *one, const u64 *other, i64 words)
{
    i64 common = 0;
    for (i64 word = 0; word < words; word++)
        common += __builtin_popcountll(one[word] & other[word]);
    return common;
}

/* Whether the tokens of all pairs could be counted. */
static int by_bitmaps(Span *span, int shift)
{
    const i64 last = number_tokens_of(span, shift), words = (last >> 6) + 1;
    if (last < 0)
        return 0;
    memset(span->bits, 0, (size_t)(words * (span->rows + 1)) * sizeof *span->bits);
    const u32 *numbers = span->numbers;
    for (i64 at = 0; at < span->rows; at++) {
        u64 *bits = span->bits + words * (at + 1);
        for (const u32 *end = numbers + size_of(span, span->row[at]); numbers < end; numbers++)
            bits[*numbers >> 6] |= (u64)1 << (*numbers & 63);
    }
    for (i64 pair = span->begin; pair < span->end; pair++) {
        if (pair == span->begin || span->right[pair] != span->right[pair - 1]) {
            memset(span->bits, 0, (size_t)words * sizeof *span->bits);
            look_up(span, span->right[pair], shift, span->bits);
        }
        span->out[pair] = bits_in_common(span->bits, span->bits + words * (span->slot[span->left[pair]] + 1), words);
    }
    return 1;
}

/* Count for the pairs from span->begin on: all that fit, up to `pairs`. Their end is written. */
static void count_span(Span *span, i64 pairs)
{
    i64 values = 0, merge = 0, look = 0, pair = span->begin;
    span->rows = 0;
    for (; pair < pairs; pair++) {
        const i64 left = span->left[pair], right = span->right[pair], size = size_of(span, left);
        const u32 slot = span->slot[left];
        if (slot >= span->rows || span->row[slot] != left) {
            if (span->rows && (span->rows == SPAN_ROWS || values + size > SPAN_VALUES))
                break;
            span->slot[left] = (u32)span->rows;
            span->row[span->rows++] = left;
            values += size;
        }
        merge += size + size_of(span, right);
        if (pair == span->begin || right != span->right[pair - 1])
            look += size_of(span, right);
    }
    span->end = pair;
    int shift = 25;
    while (shift > 0 && (i64)1 << (32 - shift) < 2 * values)
        shift--;
    const i64 most = (values >> 6) + 1;
    const i64 table = ((i64)1 << (32 - shift)) / 4;
    if (values > SPAN_VALUES
        || NUMBERED * values + LOOKED_UP * look + WORD * most * (pair - span->begin + span->rows) + table >= MERGED * merge
        || !by_bitmaps(span, shift))
        by_merging(span);
}

const char overlaps_doc[] =
    "overlaps(values, offsets, left, right, out): how many values two ascending rows share.\n"
    "Faster if pairs of few left rows are together, in the order of their right rows.";

PyObject *overlaps(PyObject *self, PyObject *args)
{
    Py_buffer b[5] = {{0}};
    if (!PyArg_ParseTuple(args, "y*y*y*y*w*", &b[0], &b[1], &b[2], &b[3], &b[4]))
        return NULL;
    const i64 rows = items(&b[1], 8) - 1, pairs = items(&b[2], 8);
    if (!are_offsets(&b[1], items(&b[0], 4)) || b[3].len != 8 * pairs || b[4].len != 8 * pairs)
        return refuse(b, 5, "overlaps: wrong offsets");
    Span span = {.values = b[0].buf, .offsets = b[1].buf, .left = b[2].buf, .right = b[3].buf, .out = b[4].buf};
    for (i64 pair = 0; pair < pairs; pair++)
        if (span.left[pair] < 0 || span.left[pair] >= rows || span.right[pair] < 0 || span.right[pair] >= rows)
            return refuse(b, 5, "overlaps: a row that is not there");
    i64 room = span.offsets[rows];
    room = room < SPAN_VALUES ? room : SPAN_VALUES;
    const i64 words = (room >> 6) + 1;
    span.bits = malloc((size_t)(words * (SPAN_ROWS + 1)) * sizeof *span.bits
                       + (size_t)(4 * room + 128) * sizeof *span.table + (size_t)(room + rows) * sizeof(u32));
    if (!span.bits)
        return no_memory(b, 5);
    span.table = (Numbered *)(span.bits + words * (SPAN_ROWS + 1));
    span.numbers = (u32 *)(span.table + 4 * room + 128);
    span.slot = span.numbers + room;
    Py_BEGIN_ALLOW_THREADS
    memset(span.slot, 0, (size_t)rows * sizeof *span.slot);
    for (; span.begin < pairs; span.begin = span.end)
        count_span(&span, pairs);
    Py_END_ALLOW_THREADS
    free(span.bits);
    release(b, 5);
    Py_RETURN_NONE;
}
