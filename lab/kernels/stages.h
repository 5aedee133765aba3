/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stages of the 8-band transforms that processor and GPU share.  Includes the template that
 * XC_EACH_STAGES names, as `#include` wants it, once for each transform and direction, with the
 * parameters of lab/cpu/band/run_template.h.  Has no guard.
 */
#define XC_RUN xc_band_definition_forward
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_matrix_forward
#define XC_SCALE 0
#include XC_EACH_STAGES
#define XC_RUN xc_band_definition_inverse
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_matrix_inverse
#define XC_SCALE 0
#include XC_EACH_STAGES

#define XC_RUN xc_band_separable_forward
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_evenodd_forward
#define XC_SCALE 0
#include XC_EACH_STAGES
#define XC_RUN xc_band_separable_inverse
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_evenodd_inverse
#define XC_SCALE 0
#include XC_EACH_STAGES

#define XC_RUN xc_band_aan_forward
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_aan_forward
#define XC_SCALE 2
#include XC_EACH_STAGES
#define XC_RUN xc_band_aan_inverse
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_aan_inverse
#define XC_SCALE 1
#include XC_EACH_STAGES

#define XC_RUN xc_band_flmad_forward
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_flmad_forward
#define XC_SCALE 2
#include XC_EACH_STAGES
#define XC_RUN xc_band_flmad_inverse
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_flmad_inverse
#define XC_SCALE 1
#include XC_EACH_STAGES

#define XC_RUN xc_band_lot_forward
#define XC_SHIFTS 1
#define XC_STAGE_0 xc_flot8_forward_block
#define XC_STAGE_1 xc_flot8_forward_edge
#define XC_SCALE 0
#include XC_EACH_STAGES
#define XC_RUN xc_band_lot_inverse
#define XC_SHIFTS 1
#define XC_STAGE_0 xc_flot8_inverse_edge
#define XC_STAGE_1 xc_flot8_inverse_block
#define XC_SCALE 0
#include XC_EACH_STAGES

#define XC_RUN xc_band_tdlt_forward
#define XC_SHIFTS 1
#define XC_STAGE_0 xc_tdlt8_pre_filter
#define XC_STAGE_1 xc_dct8_flmad_forward
#define XC_SCALE 2
#include XC_EACH_STAGES
#define XC_RUN xc_band_tdlt_inverse
#define XC_SHIFTS 1
#define XC_STAGE_0 xc_dct8_flmad_inverse
#define XC_STAGE_1 xc_tdlt8_post_filter
#define XC_SCALE 1
#include XC_EACH_STAGES

#define XC_RUN xc_band_genlot_forward
#define XC_SHIFTS 2
#define XC_STAGE_0 xc_genlot8_forward_block
#define XC_STAGE_1 xc_genlot8_forward_edge
#define XC_STAGE_2 xc_genlot8_forward_end
#define XC_SCALE 0
#include XC_EACH_STAGES
#define XC_RUN xc_band_genlot_inverse
#define XC_SHIFTS 2
#define XC_STAGE_0 xc_genlot8_inverse_end
#define XC_STAGE_1 xc_genlot8_inverse_edge
#define XC_STAGE_2 xc_genlot8_inverse_block
#define XC_SCALE 0
#include XC_EACH_STAGES

#undef XC_EACH_STAGES
