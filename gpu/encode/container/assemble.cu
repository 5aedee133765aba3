/* SPDX-License-Identifier: BSD-2-Clause */
/* The file's layout and its assembly; see gpu/encode/container/assemble.h. */
#include "gpu/encode/container/assemble.h"
#include "gpu/encode/job/launch.h"

enum { LAYOUT_THREADS = 512, ASSEMBLE_THREADS = 2 * 32 * XC_GPU_ASSEMBLE_TILES };

/* CODES: of the picture's own; separate kernels, because loading a long kernel delays its single thread
 * block. */
template <int CODES>
static __global__ void __launch_bounds__(LAYOUT_THREADS)
	write_head(const __grid_constant__ xc_gpu_encode_job launched)
{
	__shared__ xc_gpu_head_shared s;
	const xc_cta t = {threadIdx.x, LAYOUT_THREADS};
	xc_gpu_encode_job j = launched;

	xc_gpu_enter_picture(&j, XC_GPU_GRID_PICTURES);
	xc_gpu_write_head(&j, t, CODES, &s);
}

/* The end of a thread block, by one thread: adds its shares to the CRCs, and if it is the last one
 * of its picture, ends the file. */
static __device__ __forceinline__ void leave(const xc_gpu_encode_job *j, uint32_t piece,
                                             const xc_gpu_assemble_shared *s)
{
	xc_gpu_file_piece *const p = xc_gpu_file_piece_at(j, piece);

	atomicXor(&p->data_crc, s->share[0]);
	atomicXor(&p->index_crc, s->share[1]);
	__threadfence();
	if (atomicAdd(&j->out.state->ticket, 1u) !=
	    xc_gpu_assemble_ctas(j) * j->picture.piece_count - 1)
		return;
	__threadfence();
	xc_gpu_finish(j);
}

static __global__ void __launch_bounds__(ASSEMBLE_THREADS)
	assemble(const __grid_constant__ xc_gpu_encode_job launched)
{
	__shared__ xc_gpu_assemble_shared s;
	const xc_cta t = {threadIdx.x, ASSEMBLE_THREADS};
	xc_gpu_encode_job j = launched;
	const uint32_t lane = t.rank % 32, warp = t.rank / 32;
	const uint32_t cta = xc_gpu_enter_picture(&j, XC_GPU_GRID_SEGMENTS);
	const xc_gpu_assemble_range r = xc_gpu_assemble_range_of(&j, cta);
	const uint32_t tile = r.first + warp % XC_GPU_ASSEMBLE_TILES;

	xc_gpu_assemble_begin(&j, t, &s);
	if (!j.out.state->fits)
		return;
	__syncthreads();
	if (tile < r.end && warp < XC_GPU_ASSEMBLE_TILES) {
		const uint32_t part[XC_SLOTS] = {xc_crc_write_lane(j.crc, s.tables,
		                                                   xc_gpu_arena_segment(&j, tile),
		                                                   j.out.sizes[tile], lane)};
		xc_gpu_assemble_crc(&j, r, tile, ~xc_warp_xor(part), lane, &s);
	} else if (tile < r.end) {
		xc_gpu_assemble_copy(&j, r.piece, tile, lane);
	}
	__syncthreads();
	if (t.rank == 0)
		leave(&j, r.piece, &s);
}

xc_status xc_gpu_head_launch(const xc_gpu_encode_call *c)
{
	return xc_gpu_launch_encode("layout", c, XC_GPU_GRID_PICTURES,
	                            c->group->job.huffman.codes ? write_head<1> : write_head<0>,
	                            LAYOUT_THREADS, 0);
}

xc_status xc_gpu_assemble_launch(const xc_gpu_encode_call *c)
{
	return xc_gpu_launch_encode("assemble", c, XC_GPU_GRID_SEGMENTS, assemble, ASSEMBLE_THREADS, 0);
}
