# SPDX-License-Identifier: BSD-2-Clause
#
# SSIM by scikit-image and MS-SSIM by NumPy, of the luma of two PNM pictures: two numbers.  MS-SSIM is "none"
# where the coarsest of its scales is smaller than the window.
#
#   metrics.py [A B]...     prints them, a line for each pair
#   metrics.py --deepen A   prints A with 16 bits, whose lower bits are filled with a pattern

import sys

import numpy as np
from scipy.ndimage import correlate, correlate1d
from skimage.metrics import structural_similarity

WINDOW, SIGMA = 11, 1.5


def read(path):
    """An array of rows, columns and channels, and the largest value."""
    data = open(path, "rb").read()
    fields = data.split(None, 4)[:4]
    width, height, most = (int(f) for f in fields[1:])
    channels = {b"P5": 1, b"P6": 3}[fields[0]]
    count = width * height * channels
    kind = ">u2" if most > 255 else "u1"
    samples = np.frombuffer(data[len(data) - count * np.dtype(kind).itemsize:], kind)
    return samples.reshape(height, width, channels).astype(np.int64), most


def luma(picture):
    if picture.shape[2] == 1:
        return picture[:, :, 0].astype(float)
    r, g, b = (picture[:, :, i] for i in range(3))
    return ((313524 * r + 615514 * g + 119537 * b + (1 << 19)) >> 20).astype(float)


def side():
    """Of the window, which is the product of two."""
    at = np.arange(WINDOW) - WINDOW // 2
    weights = np.exp(-at ** 2 / (2 * SIGMA ** 2))
    return weights / weights.sum()


def terms(a, b, most):
    """The means of luminance times contrast and structure, and of the latter alone, as the
    authors' ssim.m has them: over all places where the window lies inside."""
    c1, c2 = (0.01 * most) ** 2, (0.03 * most) ** 2

    def mean(x):
        edge = WINDOW // 2
        whole = correlate1d(correlate1d(x, side(), axis=0), side(), axis=1)
        return whole[edge:-edge, edge:-edge]

    ma, mb = mean(a), mean(b)
    va, vb = mean(a * a) - ma * ma, mean(b * b) - mb * mb
    contrast = (2 * (mean(a * b) - ma * mb) + c2) / (va + vb + c2)
    return np.mean((2 * ma * mb + c1) / (ma * ma + mb * mb + c1) * contrast), np.mean(contrast)


def halve(x):
    """As msssim.m: means of 2 by 2 with symmetric edges, then every second one."""
    return correlate(x, np.full((2, 2), 0.25), mode="reflect", origin=-1)[::2, ::2]


def ms_ssim(a, b, most):
    weights = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
    product = 1.0
    for i, weight in enumerate(weights):
        if min(a.shape) < WINDOW:
            return None
        whole, contrast = terms(a, b, most)
        product *= (whole if i == len(weights) - 1 else contrast) ** weight
        a, b = halve(a), halve(b)
    return product


def deepen(path):
    picture, _ = read(path)
    rows, columns, channels = picture.shape
    y, x, c = np.ogrid[:rows, :columns, :channels]
    deep = picture * 257 + (31 * x + 17 * y + 7 * c) % 97 - 48
    sys.stdout.buffer.write(b"P%d %d %d 65535\n" % (6 if channels == 3 else 5, columns, rows))
    sys.stdout.buffer.write(np.clip(deep, 0, 65535).astype(">u2").tobytes())


def similarity(first, second):
    (a, most), (b, _) = read(first), read(second)
    a, b = luma(a), luma(b)
    ssim = structural_similarity(a, b, gaussian_weights=True, sigma=SIGMA,
                                 use_sample_covariance=False, data_range=most)
    multi = ms_ssim(a, b, most)
    print("%.9f" % ssim, "none" if multi is None else "%.9f" % multi)


def main():
    if sys.argv[1] == "--deepen":
        deepen(sys.argv[2])
        return
    for i in range(1, len(sys.argv), 2):
        similarity(*sys.argv[i:i + 2])


main()
