/* Argon2, as RFC 9106 has it (Debian: libargon2-dev). */
#include <argon2.h>
