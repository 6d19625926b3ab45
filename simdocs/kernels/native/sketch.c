/* Sketches: signatures, their estimates, and the keys of their bands. */
#include "compiled.h"

/* Fast Similarity Sketching: Dahlgaard, Knudsen, Thorup (FOCS 2017), section 2, as in kernels/sketch/fss.py.
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

const char fss_doc[] =
    "fss(tokens, offsets, out): the signature of each row, by Fast Similarity Sketching.";

PyObject *fss(PyObject *self, PyObject *args)
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

const char agreements_doc[] =
    "agreements(signatures, width, left, right, out): at how many positions two rows of numbers agree.";

WIDE static i64 equal_numbers(const any_u32 *a, const any_u32 *b, i64 count)
{
    u32 equal = 0;
    for (i64 i = 0; i < count; i++)
        equal += a[i] == b[i];
    return equal;
}

PyObject *agreements(PyObject *self, PyObject *args)
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

const char band_keys_doc[] =
    "band_keys(signatures, width, rows_of, first, rows, out): the key of one band of each of these signatures.";

PyObject *band_keys(PyObject *self, PyObject *args)
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
