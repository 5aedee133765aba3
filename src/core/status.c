/* SPDX-License-Identifier: BSD-2-Clause */
#include <xcodec.h>

const char *xc_status_string(xc_status status)
{
	static const char *const text[] = {
		[XC_OK] = "success",
		[XC_ERR_ARGUMENT] = "bad argument",
		[XC_ERR_MEMORY] = "out of memory",
		[XC_ERR_LIMIT] = "over a limit",
		[XC_ERR_FORMAT] = "not an XC file",
		[XC_ERR_TRUNCATED] = "file ends too early",
		[XC_ERR_CORRUPT] = "damaged file",
		[XC_ERR_UNSUPPORTED] = "not supported",
		[XC_ERR_DEVICE] = "device failure",
		[XC_ERR_IO] = "reading or writing failed",
		[XC_ERR_CANCELLED] = "cancelled",
	};

	if ((int)status < 0 || status >= sizeof text / sizeof *text)
		return "unknown status";
	return text[status];
}

const char *xc_version_string(void)
{
	return PACKAGE_VERSION;
}
