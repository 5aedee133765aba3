/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/report/style.h"

/* The hues follow the palette of Okabe and Ito, which colour-blind readers tell apart; their lightness is
 * changed for contrast. */
static const char *const colours[XC_SWEEP_COLOURS][2] = {
	{"#0b62a4", "#5fb0ee"}, {"#c4500b", "#ff9a5c"}, {"#00805a", "#3ecb9b"}, {"#a8408a", "#ef9bd0"},
	{"#84690a", "#e0c04a"}, {"#404040", "#d8d8d8"}, {"#1786a0", "#7ad5ea"}, {"#7a4a2c", "#d6a880"},
};

static const char *const lines[XC_SWEEP_COLOURS][2] = {
	{"none", "m-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z"},
	{"7 3", "m-3.3-3.3h6.6v6.6h-6.6z"},
	{"2 2.5", "m0-4.4l4.2 7.4h-8.4z"},
	{"9 3 2 3", "m0-4.6l4.6 4.6l-4.6 4.6l-4.6-4.6z"},
	{"12 4", "m0 4.4l4.2-7.4h-8.4z"},
	{"4 2", "m-3.2-3.2l6.4 6.4m0-6.4l-6.4 6.4"},
	{"9 3 2 3 2 3", "m0-4.4l4.2 3l-1.6 5h-5.2l-1.6-5z"},
	{"1.5 3", "m-4.2 0h8.4m-4.2-4.2v8.4"},
};

xc_sweep_style xc_sweep_style_of(size_t config)
{
	const size_t colour = config % XC_SWEEP_COLOURS;
	const char *const *line = lines[(config + 3 * (config / XC_SWEEP_COLOURS)) % XC_SWEEP_COLOURS];

	return (xc_sweep_style){(int)colour, colours[colour][0], colours[colour][1], line[0], line[1]};
}
