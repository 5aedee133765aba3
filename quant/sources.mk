quant_sources = quant/colours.c quant/colours.h quant/tables.c quant/tables.h
