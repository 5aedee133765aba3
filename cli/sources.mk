# SPDX-License-Identifier: BSD-2-Clause
cli_sources = \
	cli/array_files.c \
	cli/array_samples.c \
	cli/arrays.h \
	cli/batch.c \
	cli/batch.h \
	cli/batch_names.c \
	cli/batch_names.h \
	cli/batch_progress.c \
	cli/batch_progress.h \
	cli/bench.c \
	cli/bench.h \
	cli/bench_cases.c \
	cli/bench_cases.h \
	cli/bench_codec.c \
	cli/bench_gpu.c \
	cli/bench_gpu.h \
	cli/bench_gpu_decode.c \
	cli/bench_gpu_encode.c \
	cli/bench_gpu_files.c \
	cli/bench_gpu_host.c \
	cli/bench_gpu_nvjpeg.c \
	cli/bench_gpu_nvjpeg.h \
	cli/bench_gpu_nvjpeg_engines.c \
	cli/bench_gpu_nvjpeg_threads.c \
	cli/bench_gpu_rates.c \
	cli/bench_gpu_report.c \
	cli/bench_gpu_time.c \
	cli/bench_device.c \
	cli/bench_device.h \
	cli/bench_reference.c \
	cli/bench_report.c \
	cli/bench_report.h \
	cli/bench_scene.c \
	cli/bench_scene.h \
	cli/bench_transforms.c \
	cli/cleanup.c \
	cli/cleanup.h \
	cli/command.h \
	cli/compare.c \
	cli/decibels.h \
	cli/decode.c \
	cli/encode.c \
	cli/generate.c \
	cli/help.c \
	cli/info.c \
	cli/info.h \
	cli/info_devices.c \
	cli/info_json.c \
	cli/info_text.c \
	cli/io.c \
	cli/io.h \
	cli/json.c \
	cli/json.h \
	cli/main.c \
	cli/nvjpeg.c \
	cli/nvjpeg.h \
	cli/options.c \
	cli/options.h \
	cli/output.c \
	cli/picture.c \
	cli/picture.h \
	cli/progress.c \
	cli/progress.h \
	cli/report.c \
	cli/report.h \
	cli/settings.c \
	cli/settings.h \
	cli/stages.c \
	cli/stages.h \
	cli/sweep.c \
	cli/sweep.h \
	cli/sweep_report.c \
	cli/transform.c \
	cli/transform.h \
	cli/transform_threshold.c \
	cli/values.c \
	cli/version.c \
	$(bench_codec_sources)

dist_check_SCRIPTS += tests/batch.sh tests/cli_help.sh tests/progress.sh
if XC_PNG
dist_check_SCRIPTS += \
	tests/cli.sh \
	tests/cli_errors.sh \
	tests/transform.sh
endif
