# Build an index in parts, several at a time, and merge them: make -j 4 -f shards.mk
#
#     part-*.list ──▶ part-*.signatures ──▶ all.signatures ──▶ all.index
#
# Each part-NN.list has names of documents, one on each line. The parts have the options that the whole would have. If
# documents have changed, but no list has, `make -B` updates every part, which reads only the documents that changed.

SIMDOCS = simdocs
# Options of every part. `simdocs signature --help` describes them.
signature =
index =

LISTS = $(sort $(wildcard part-*.list))

all.index: all.signatures
	$(SIMDOCS) index $< -q $(index) -o $@

all.signatures: $(LISTS:.list=.signatures)
	$(SIMDOCS) merge $^ -q -o $@

%.signatures: %.list
	$(SIMDOCS) signature --files-from $< -j 1 -q $(signature) -o $@
