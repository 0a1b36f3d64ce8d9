// The settings of glibc's allocator, which are not part of Swift's module for glibc.
#ifdef __linux__
#include <malloc.h>
#endif
