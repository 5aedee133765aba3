/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/compare.h"

#include "cli/base/io.h"
#include "cli/base/options.h"
#include "cli/base/report.h"

#include "formats/formats.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int is_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The length of a name without its suffix. */
static size_t stem(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && dot != name ? (size_t)(dot - name) : strlen(name);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "folder/name", of whose name `length` bytes count, and a suffix.  NULL after reporting that there is no
 * memory. */
static char *join(const char *folder, const char *name, size_t length, const char *suffix)
{
	const size_t front = strlen(folder), size = front + length + strlen(suffix) + 2;
	char *path = malloc(size);

	if (path)
		snprintf(path, size, "%s%s%.*s%s", folder, front && folder[front - 1] == '/' ? "" : "/",
		         (int)length, name, suffix);
	else
		xc_cli_error(NULL, "out of memory");
	return path;
}

/* ------------------------------------------------------------------ two folders */

typedef struct listing {
	struct dirent **entry;
	int count;
} listing;

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int list(const char *folder, listing *l)
{
	l->count = scandir(folder, &l->entry, is_visible, alphasort);
	if (l->count >= 0)
		return 0;
	l->count = 0;
	l->entry = NULL;
	return xc_cli_error(folder, "cannot list the folder");
}

static void free_listing(listing *l)
{
	for (int i = 0; i < l->count; i++)
		free(l->entry[i]);
	free(l->entry);
}

/* The only name with that stem, or that very name; NULL: none, and *several tells whether there are
 * too many. */
static const char *partner(const listing *l, const char *name, int *several)
{
	const char *found = NULL;

	*several = 0;
	for (int i = 0; i < l->count; i++) {
		const char *other = l->entry[i]->d_name;

		if (!strcmp(other, name))
			return other;
		if (stem(other) == stem(name) && !strncmp(other, name, stem(name))) {
			*several = found != NULL;
			found = other;
		}
	}
	return *several ? NULL : found;
}

static int add_pair(char **folders, const char *a, const char *b, xc_cli_pairs *pairs)
{
	xc_cli_pair *p = &pairs->pair[pairs->count++];
	const char *const names[] = {a, b};

	for (int i = 0; i < 2; i++) {
		p->owned[i] = join(folders[i], names[i], strlen(names[i]), "");
		p->paths[i] = p->owned[i];
		if (!p->owned[i])
			return -1;
	}
	return 0;
}

static int pair_names(char **folders, const listing lists[2], xc_cli_pairs *pairs)
{
	for (int i = 0; i < lists[0].count; i++) {
		const char *a = lists[0].entry[i]->d_name;
		int several;
		const char *b = partner(&lists[1], a, &several);

		if (several)
			return xc_cli_error(folders[1], "has several files that could be the partner of '%s'",
			                    a);
		if (!b)
			xc_cli_warning(folders[1], "has no partner of '%s'", a);
		else if (add_pair(folders, a, b, pairs))
			return -1;
	}
	return pairs->count ? 0 : xc_cli_error(folders[1], "has no file of those in '%s'", folders[0]);
}

static int pair_folders(char **folders, xc_cli_pairs *pairs)
{
	listing lists[2] = {{NULL, 0}, {NULL, 0}};
	int failed = list(folders[0], &lists[0]) || list(folders[1], &lists[1]);

	pairs->many = 1;
	if (!failed) {
		pairs->pair = calloc((size_t)lists[0].count + 1, sizeof *pairs->pair);
		failed = pairs->pair ? pair_names(folders, lists, pairs)
		                     : xc_cli_error(NULL, "out of memory");
	}
	free_listing(&lists[0]);
	free_listing(&lists[1]);
	return failed ? XC_CLI_FAILED : -1;
}

/* -------------------------------------------------------------------- the maps */

static int check_map_name(const xc_cli_command *self, const char *map)
{
	const xc_file_format format = xc_file_format_by_path(map);

	char list[XC_FILE_MESSAGE];

	if (format == XC_FILE_UNKNOWN || format == XC_FILE_XC)
		return xc_cli_misuse(self, "'%s' has no suffix of a picture: %s", map,
		                     xc_file_formats(XC_FORMATS_SUFFIXES, " or ", list));
	return -1;
}

/* Of several maps no two may have one name. */
static int check_map_names(const xc_cli_command *self, const xc_cli_pairs *pairs)
{
	for (int i = 0; i < pairs->count; i++)
		for (int k = 0; k < i; k++)
			if (!strcmp(pairs->pair[i].map, pairs->pair[k].map)) {
				xc_cli_error(self->name, "the maps of '%s' and '%s' would both become '%s'",
				             pairs->pair[k].paths[1], pairs->pair[i].paths[1], pairs->pair[i].map);
				return XC_CLI_FAILED;
			}
	return -1;
}

static int place_maps(const xc_cli_command *self, const char *map, xc_cli_pairs *pairs)
{
	const int folder = is_folder(map);

	if (pairs->many && !folder)
		return xc_cli_misuse(self, "with several pairs --map must be a folder, and '%s' is none",
		                     map);
	for (int i = 0; i < pairs->count; i++) {
		xc_cli_pair *p = &pairs->pair[i];
		const char *name = base_of(p->paths[1]);

		p->map = folder ? join(map, name, stem(name), XC_CLI_USUAL_SUFFIX) : strdup(map);
		if (!p->map)
			return XC_CLI_FAILED;
	}
	return folder ? check_map_names(self, pairs) : check_map_name(self, map);
}

/* -------------------------------------------------------------------- all of it */

static int pair_operands(const xc_cli_command *self, char **operands, int count,
                         xc_cli_pairs *pairs)
{
	int standard = 0;

	for (int i = 0; i < count; i++)
		standard += !strcmp(operands[i], "-");
	if (count % 2)
		return xc_cli_misuse(self, "'%s' has no partner", operands[count - 1]);
	if (standard > 1)
		return xc_cli_misuse(self, "only one picture can be standard input");
	pairs->pair = calloc((size_t)count / 2, sizeof *pairs->pair);
	if (!pairs->pair) {
		xc_cli_error(self->name, "out of memory");
		return XC_CLI_FAILED;
	}
	pairs->count = count / 2;
	pairs->many = pairs->count > 1;
	for (int i = 0; i < count; i++)
		pairs->pair[i / 2].paths[i % 2] = operands[i];
	return -1;
}

int xc_cli_pairs_make(const xc_cli_command *self, char **operands, int count, const char *map,
                      xc_cli_pairs *pairs)
{
	const int folders = count == 2 && is_folder(operands[0]) && is_folder(operands[1]);
	int status;

	*pairs = (xc_cli_pairs){.pair = NULL};
	status = folders ? pair_folders(operands, pairs) : pair_operands(self, operands, count, pairs);
	return status < 0 && map ? place_maps(self, map, pairs) : status;
}

void xc_cli_pairs_free(xc_cli_pairs *pairs)
{
	for (int i = 0; i < pairs->count; i++) {
		free(pairs->pair[i].owned[0]);
		free(pairs->pair[i].owned[1]);
		free(pairs->pair[i].map);
	}
	free(pairs->pair);
}
