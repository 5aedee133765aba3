# SPDX-License-Identifier: BSD-2-Clause

# XC_PYTHON
# Looks for a Python of 3.9 or later with headers, one that also has what the tests want if there
# is one.  An extension is compiled and imported, which fails where the compiler's machine or C
# library is another.  Sets PYTHON, to nothing where there is none.
AC_DEFUN([XC_PYTHON], [
	AC_ARG_WITH([python], [AS_HELP_STRING([--without-python],
		[no "make python", and no tests of the Python package])],
		[], [with_python=auto])
	AC_ARG_VAR([PYTHON], [the Python that "make python" builds for])
	AC_MSG_CHECKING([for Python with headers])
	xc_pythons=${PYTHON:-"python3 /usr/bin/python3"}
	PYTHON=
	test "$with_python" != no || xc_pythons=
	printf '%s\n' '#include <Python.h>' \
		'static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "conftest", 0, 0, 0, 0, 0, 0, 0};' \
		'PyMODINIT_FUNC PyInit_conftest(void) { return PyModuleDef_Init(&module); }' >conftest.c
	for xc_python in $xc_pythons; do
		# The program itself, since what chooses among several is slow to start.
		xc_python=`$xc_python -c 'import sys; print(sys.version_info >= (3, 9) and sys.executable)' 2>/dev/null`
		xc_include=`"$xc_python" -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null`
		AS_IF([$CC $CFLAGS -shared -fPIC -I"$xc_include" -o conftest.so conftest.c >&AS_MESSAGE_LOG_FD 2>&1 &&
			PYTHONPATH=. "$xc_python" -c 'import conftest' >&AS_MESSAGE_LOG_FD 2>&1], [
			: ${PYTHON:=$xc_python}
			AS_IF(["$xc_python" -c 'import numpy, pytest' 2>/dev/null], [PYTHON=$xc_python; break])
		])
	done
	rm -f conftest.c conftest.so
	AC_MSG_RESULT([${PYTHON:-no}])
	AS_IF([test -z "$PYTHON" && test "$with_python" = yes],
		[AC_MSG_ERROR([Python was asked for, but none of 3.9 or later with headers was found])])
	AM_CONDITIONAL([XC_PYTHON], [test -n "$PYTHON"])
])
