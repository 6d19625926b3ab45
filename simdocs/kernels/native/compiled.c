/* Kernels in C: the same functions from arrays to arrays as in NumPy, with the same bytes. See compiled.h. */
#include "compiled.h"

#define METHOD(name) {#name, name, METH_VARARGS, name##_doc}

static PyMethodDef methods[] = {
    METHOD(greatest),
    METHOD(collapsed),
    METHOD(mapped),
    METHOD(pages),
    METHOD(decoded),
    METHOD(word_hashes),
    METHOD(char_tokens),
    METHOD(number_tokens),
    METHOD(byte_strings),
    METHOD(sets),
    METHOD(overlaps),
    METHOD(order),
    METHOD(positions),
    METHOD(fss),
    METHOD(agreements),
    METHOD(band_keys),
    METHOD(read_files),
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
