quant_sources = quant/activity.h quant/tables.c quant/tables.h
