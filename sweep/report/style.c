/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/report/style.h"

/* The hues follow the palette of Okabe and Ito, which colour-blind readers tell apart; their lightness is
 * changed for contrast. */
const xc_sweep_style xc_sweep_styles[XC_SWEEP_STYLES] = {
	{"#0b62a4", "#5fb0ee", "none", "m-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z"},
	{"#c4500b", "#ff9a5c", "7 3", "m-3.3-3.3h6.6v6.6h-6.6z"},
	{"#00805a", "#3ecb9b", "2 2.5", "m0-4.4l4.2 7.4h-8.4z"},
	{"#a8408a", "#ef9bd0", "9 3 2 3", "m0-4.6l4.6 4.6l-4.6 4.6l-4.6-4.6z"},
	{"#84690a", "#e0c04a", "12 4", "m0 4.4l4.2-7.4h-8.4z"},
	{"#404040", "#d8d8d8", "4 2", "m-3.2-3.2l6.4 6.4m0-6.4l-6.4 6.4"},
	{"#1786a0", "#7ad5ea", "9 3 2 3 2 3", "m0-4.4l4.2 3l-1.6 5h-5.2l-1.6-5z"},
	{"#7a4a2c", "#d6a880", "1.5 3", "m-4.2 0h8.4m-4.2-4.2v8.4"},
};
