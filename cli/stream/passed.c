/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stream/passed.h"

#include "cli/base/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void xc_cli_passed_other(xc_cli_passed *p, const char *what)
{
	int i = 0;

	while (i < XC_CLI_PASSED_KINDS - 1 && p->kind[i].count && strcmp(p->kind[i].what, what))
		i++;
	snprintf(p->kind[i].what, sizeof p->kind[i].what, "%s",
	         i < XC_CLI_PASSED_KINDS - 1 ? what : "others");
	p->kind[i].count++;
	p->all++;
}

void xc_cli_passed_file(xc_cli_passed *p, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');
	char suffix[12];
	const int n = dot && dot != name ? snprintf(suffix, sizeof suffix, "%s", dot) : 0;

	for (int i = 0; i < n && i < (int)sizeof suffix; i++)
		if (suffix[i] >= 'A' && suffix[i] <= 'Z')
			suffix[i] = (char)(suffix[i] - 'A' + 'a');
	xc_cli_passed_other(p, n > 1 && n < (int)sizeof suffix ? suffix : "others");
}

static int by_count(const void *a, const void *b)
{
	const xc_cli_passed_kind *x = a, *y = b;

	return x->count < y->count ? 1 : x->count > y->count ? -1 : strcmp(x->what, y->what);
}

void xc_cli_passed_tell(xc_cli_passed *p, const char *subject, const char *done)
{
	char list[XC_CLI_PASSED_KINDS * 48];
	size_t size = 0;

	if (!p->all)
		return;
	qsort(p->kind, XC_CLI_PASSED_KINDS, sizeof *p->kind, by_count);
	for (int i = 0; i < XC_CLI_PASSED_KINDS && p->kind[i].count; i++)
		size += (size_t)snprintf(list + size, sizeof list - size, "%s%llu %s", i ? ", " : "",
		                         (unsigned long long)p->kind[i].count, p->kind[i].what);
	xc_cli_warning(subject, "%llu file%s %s: %s", (unsigned long long)p->all,
	               p->all == 1 ? "" : "s", done, list);
}
