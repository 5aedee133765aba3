quant_sources = quant/activity.h quant/colours.c quant/colours.h quant/tables.c quant/tables.h
