/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of a plane to residues and back, for samples of the type T of BITS bits; included once
 * for each depth. NAME(f) is the name of f at that depth. A residue r is stored as 2 r, or as -2 r
 * - 1 if it is negative, modulo 2^BITS, so that small residues are small numbers. */

static inline T NAME(fold)(T r)
{
	return (T)((T)(r << 1) ^ (T)(0 - (r >> (BITS - 1))));
}

static inline T NAME(unfold)(T z)
{
	return (T)((z >> 1) ^ (T)(0 - (z & 1)));
}

/* The residue of sample x > 0, predicted by the sample above or by a plane. */
static inline T NAME(residue)(const T *row, const T *above, size_t x, int planar)
{
	const T slope = planar ? (T)(row[x - 1] - above[x - 1]) : 0;
	return NAME(fold)((T)(row[x] - above[x] - slope));
}

/* Stores a folded residue in the plane of bytes, or in the planes of upper and of lower bytes. */
static inline void NAME(put)(uint8_t *to, size_t samples, T z)
{
	to[0] = (uint8_t)(z >> (BITS - 8));
	if (BITS == 16)
		to[samples] = (uint8_t)z;
}

static inline T NAME(get)(const uint8_t *from, size_t samples)
{
	return BITS == 16 ? (T)(from[0] << (BITS - 8) | from[samples]) : from[0];
}

static inline void NAME(put_row)(const T *restrict row, const T *restrict above, size_t width,
                                 int planar, uint8_t *restrict to, size_t samples)
{
	NAME(put)(to, samples, NAME(fold)((T)(row[0] - above[0])));
	for (size_t x = 1; x < width; x++)
		NAME(put)(to + x, samples, NAME(residue)(row, above, x, planar));
}

/* 1: the planar prediction has the smaller sum of residues. */
static inline int NAME(prefers_planar)(const T *samples, size_t width, size_t height)
{
	uint64_t sums[2] = {0, 0};

	for (size_t y = 1; y < height; y++) {
		const T *row = samples + y * width, *above = row - width;
		uint32_t here[2] = {0, 0};
		for (size_t x = 1; x < width; x++) {
			here[0] += NAME(residue)(row, above, x, 0);
			here[1] += NAME(residue)(row, above, x, 1);
		}
		sums[0] += here[0];
		sums[1] += here[1];
	}
	return sums[1] < sums[0];
}

/* Fills the planes; returns 1 if the prediction is planar. */
static inline int NAME(predict)(const T *samples, size_t width, size_t height, uint8_t *to)
{
	const size_t n = width * height;
	const int planar = NAME(prefers_planar)(samples, width, height);

	NAME(put)(to, n, NAME(fold)(samples[0]));
	for (size_t x = 1; x < width; x++)
		NAME(put)(to + x, n, NAME(fold)((T)(samples[x] - samples[x - 1])));
	for (size_t y = 1; y < height; y++) {
		const T *row = samples + y * width;
		if (planar)
			NAME(put_row)(row, row - width, width, 1, to + y * width, n);
		else
			NAME(put_row)(row, row - width, width, 0, to + y * width, n);
	}
	return planar;
}

static inline void NAME(add_above)(const uint8_t *restrict from, size_t samples,
                                   const T *restrict above, T *restrict row, size_t width)
{
	for (size_t x = 0; x < width; x++)
		row[x] = (T)(above[x] + NAME(unfold)(NAME(get)(from + x, samples)));
}

static inline void NAME(add_planar)(const uint8_t *restrict from, size_t samples,
                                    const T *restrict above, T *restrict row, size_t width)
{
	T slope = 0;

	for (size_t x = 0; x < width; x++) {
		slope = (T)(slope + NAME(unfold)(NAME(get)(from + x, samples)));
		row[x] = (T)(above[x] + slope);
	}
}

/* The reverse of predict(). */
static inline void NAME(restore)(const uint8_t *from, size_t width, size_t height, int planar,
                                 T *samples)
{
	const size_t n = width * height;
	T left = 0;

	for (size_t x = 0; x < width; x++)
		samples[x] = left = (T)(left + NAME(unfold)(NAME(get)(from + x, n)));
	for (size_t y = 1; y < height; y++) {
		T *row = samples + y * width;
		(planar ? NAME(add_planar) : NAME(add_above))(from + y * width, n, row - width, row, width);
	}
}

#undef T
#undef BITS
#undef NAME
