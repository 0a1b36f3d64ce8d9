/* gzip, as RFC 1952 has it (Debian: zlib1g-dev). */
#include <zlib.h>
