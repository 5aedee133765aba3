quant_sources = quant/tables.c quant/tables.h
