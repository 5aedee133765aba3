/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/engine/mutate.h"

#include <string.h>

#include "tests/support/check.h"

static size_t below(uint64_t *seed, size_t n)
{
	return (size_t)(check_random(seed) % n);
}

/* A byte as programs fear it. */
static uint8_t awkward(uint64_t *seed)
{
	static const uint8_t bytes[] = {0, 1, 2, 4, 8, 15, 16, 63, 64, 127, 128, 129, 254, 255};
	return bytes[below(seed, sizeof bytes)];
}

static size_t change(uint8_t *data, size_t size, size_t room, uint64_t *seed)
{
	const size_t at = below(seed, size), left = size - at;
	size_t n = 1 + below(seed, left < 8 ? left : 8);

	switch (below(seed, 8)) {
	case 0:
	case 1:
		data[at] ^= (uint8_t)(1 << below(seed, 8));
		return size;
	case 2:
		data[at] = (uint8_t)check_random(seed);
		return size;
	case 3:
		data[at] = awkward(seed);
		return size;
	case 4:
		memset(data + at, awkward(seed), n);
		return size;
	case 5: /* from elsewhere */
		memmove(data + at, data + below(seed, size - n + 1), n);
		return size;
	case 6: /* taken out */
		n = n < size ? n : size - 1;
		memmove(data + at, data + at + n, left - n);
		return size - n;
	default: /* put in */
		n = n < room - size ? n : room - size;
		memmove(data + at + n, data + at, left);
		memset(data + at, (int)below(seed, 256), n);
		return size + n;
	}
}

size_t xc_mutate(uint8_t *data, size_t size, size_t room, uint64_t *seed)
{
	size_t times = 1 + below(seed, 3);

	if (!below(seed, 4))
		times += below(seed, 6);
	while (times-- && size)
		size = change(data, size, room, seed);
	return size;
}
