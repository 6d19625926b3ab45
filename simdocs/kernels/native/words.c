/* Words, and their hashes. */
#include "compiled.h"

/* Kinds of characters, as in characters.py. */
#define WORD 2
#define MARK 4
#define UNSPACED 8

#define BLOCK 64  /* bytes that are looked at together */
#define EDGES 1024 /* places where a word begins, and ends, that are held */
#define SHORT 15  /* bytes of words that are hashed side by side */

/* The words that wait to be hashed, as pairs of places in data, and where their hashes go. */
typedef struct {
    const uint8_t *data;
    i64 size;
    any_u32 *out;
    i64 room, count;
    u32 seed;
    i64 edges[EDGES + BLOCK + 1], waiting;
} Words;

static inline u32 block_at(const uint8_t *at)
{
    return *(const any_u32 *)at;
}

/* Words of up to 15 bytes go through the same steps, whatever their lengths, so that several are hashed at a time. */
WIDE static void hash_words(const uint8_t *data, i64 size, const i64 *edges, i64 words, u32 seed, any_u32 *out)
{
    static const uint8_t nothing[SHORT + 1] = {0};
    static const u32 masks[4] = {0, 0xFF, 0xFFFF, 0xFFFFFF};
    u32 first[EDGES], second[EDGES], third[EDGES], tail[EDGES], lengths[EDGES];
    i64 others[EDGES], left = 0;
    for (i64 i = 0; i < words; i++) {
        const i64 length = edges[2 * i + 1] - edges[2 * i];
        const int is_other = length > SHORT || edges[2 * i] > size - SHORT - 1;
        const uint8_t *at = is_other ? nothing : data + edges[2 * i];
        others[left] = i;
        left += is_other;
        lengths[i] = (u32)length & SHORT;
        first[i] = block_at(at);
        second[i] = block_at(at + 4);
        third[i] = block_at(at + 8);
        tail[i] = block_at(at + (length & 12)) & masks[length & 3];
    }
    for (i64 i = 0; i < words; i++) {
        const u32 length = lengths[i];
        u32 state = seed;
        state = length >= 4 ? stir(state, mix(first[i])) : state;
        state = length >= 8 ? stir(state, mix(second[i])) : state;
        state = length >= 12 ? stir(state, mix(third[i])) : state;
        out[i] = fmix32(state ^ mix(tail[i]) ^ length);
    }
    for (i64 i = 0; i < left; i++) {
        const i64 *at = edges + 2 * others[i];
        out[others[i]] = hash_bytes(data + at[0], at[1] - at[0], seed);
    }
}

/* Hash the words that wait. The beginning of one that has not ended waits on. Return 0, or NO_ROOM. */
static i64 flush(Words *to)
{
    const i64 words = to->waiting / 2;
    if (to->room - to->count < words)
        return NO_ROOM;
    for (i64 done = 0; done < words; done += EDGES / 2) {
        const i64 some = words - done < EDGES / 2 ? words - done : EDGES / 2;
        hash_words(to->data, to->size, to->edges + 2 * done, some, to->seed, to->out + to->count);
        to->count += some;
    }
    to->edges[0] = to->edges[2 * words];
    to->waiting -= 2 * words;
    return 0;
}

/* Which of up to 64 bytes of ASCII are \w, which no version of Unicode changes. */
static inline u64 word_bytes(const uint8_t *at, i64 count)
{
    uint8_t bytes[BLOCK] = {0};
    u64 found = 0, eight;
    memcpy(bytes, at, (size_t)count);
    for (int i = 0; i < BLOCK; i++) {
        const uint8_t byte = bytes[i], letter = (uint8_t)((byte | 32) - 'a'), digit = (uint8_t)(byte - '0');
        bytes[i] = (uint8_t)((letter < 26) | (digit < 10) | (byte == '_'));
    }
    for (int i = 0; i < BLOCK / 8; i++) {
        memcpy(&eight, bytes + 8 * i, 8);
        found |= (eight * 0x0102040810204080u >> 56) << 8 * i;
    }
    return found;
}

/* The words of a text in ASCII. Return 0, or NO_ROOM. */
WIDE static i64 ascii_words(const uint8_t *at, const uint8_t *end, Words *to)
{
    u64 before = 0;
    for (; at < end; at += BLOCK) {
        const u64 inside = word_bytes(at, end - at < BLOCK ? end - at : BLOCK);
        for (u64 edges = inside ^ (inside << 1 | before); edges; edges &= edges - 1)
            to->edges[to->waiting++] = at - to->data + __builtin_ctzll(edges);
        before = inside >> (BLOCK - 1);
        if (to->waiting >= EDGES && flush(to))
            return NO_ROOM;
    }
    if (before)
        to->edges[to->waiting++] = end - to->data;
    return 0;
}

static inline i64 add_word(Words *to, const uint8_t *begin, const uint8_t *end)
{
    to->edges[to->waiting++] = begin - to->data;
    to->edges[to->waiting++] = end - to->data;
    return to->waiting >= EDGES ? flush(to) : 0;
}

/* The words of any text of so many code points. A mark is what the character before it is. Return 0, or a number below 0. */
static i64 all_words(const uint8_t *at, const uint8_t *end, i64 points, const uint8_t *kinds, Words *to)
{
    const uint8_t *begin = NULL;
    unsigned word = 0, joins = 0;   /* whether the character before is in a word, and whether its word can go on */
    int size;
    for (; at < end; at += size, points--) {
        const u32 point = code_point(at, end, &size);
        if (!size)
            return NEEDS_STR;
        const unsigned found = kinds[point], was_word = word, joined = joins;
        if (!found)
            return -1 - (i64)point;
        if (!(found & MARK)) {
            word = found & WORD;
            joins = word && !(found & UNSPACED);
        }
        const int begins = word && (!was_word || found & UNSPACED || (joins && !joined));
        if (begin && (!word || begins)) {
            if (add_word(to, begin, at))
                return NO_ROOM;
            begin = NULL;
        }
        if (begins)
            begin = at;
    }
    if (points)
        return NEEDS_STR;  /* two bytes that are not UTF-8 have met, and look like a character */
    return begin ? add_word(to, begin, end) : 0;
}

const char word_hashes_doc[] =
    "word_hashes(data, offsets, points, kinds, seed, out, counts) -> words: the hash of each word of every row of UTF-8.\n"
    "points: the offsets of the rows in code points. kinds: of each code point. out: room for half of the bytes. counts: the\n"
    "words of each row. A number below 0 is -1 - a code point whose kinds are 0. None: a row is not UTF-8, or does not have\n"
    "these code points.";

PyObject *word_hashes(PyObject *self, PyObject *args)
{
    Py_buffer b[6] = {{0}};
    Words to = {0};
    if (!PyArg_ParseTuple(args, "y*y*y*y*Iw*w*", &b[0], &b[1], &b[2], &b[3], &to.seed, &b[4], &b[5]))
        return NULL;
    const i64 rows = items(&b[1], 8) - 1;
    if (!are_offsets(&b[1], b[0].len) || !are_offsets(&b[2], b[0].len) || b[2].len != b[1].len
        || b[3].len != CODE_POINTS || b[5].len != 8 * rows)
        return refuse(b, 6, "word_hashes: wrong offsets or tables");
    const uint8_t *kinds = b[3].buf;
    to.data = b[0].buf;
    to.size = b[0].len;
    to.out = b[4].buf;
    to.room = items(&b[4], 4);
    i64 failed = 0;
    Py_BEGIN_ALLOW_THREADS
    const any_i64 *offsets = b[1].buf, *points = b[2].buf;
    any_i64 *counts = b[5].buf;
    for (i64 row = 0; row < rows && !failed; row++) {
        const uint8_t *at = to.data + offsets[row], *end = to.data + offsets[row + 1];
        const i64 before = to.count + to.waiting / 2;
        const int is_ascii = after_ascii(at, end) == end;
        failed = is_ascii ? ascii_words(at, end, &to) : all_words(at, end, points[row + 1] - points[row], kinds, &to);
        counts[row] = to.count + to.waiting / 2 - before;
    }
    if (!failed)
        failed = flush(&to);
    Py_END_ALLOW_THREADS
    if (failed == NO_ROOM)
        return refuse(b, 6, "word_hashes: no room for the result");
    release(b, 6);
    return result(failed ? failed : to.count);
}
