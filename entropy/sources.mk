entropy_sources = \
	entropy/bitread.c entropy/bitread.h \
	entropy/coder_tables.c \
	entropy/decode_table.c entropy/decode_table.h \
	entropy/huffman.c entropy/huffman.h \
	entropy/huffman_default.c \
	entropy/predict.h entropy/scan.h \
	entropy/stream.h entropy/stream_template.h entropy/stream16.c entropy/stream32.c \
	entropy/token_make.h entropy/token_small.h \
	entropy/tokens.h entropy/tokens_template.h entropy/tokens16.c entropy/tokens32.c \
	entropy/value.h
