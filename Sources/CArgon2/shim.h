/* Argon2id, the reference implementation of RFC 9106 (Debian: libargon2-dev). */
#include <argon2.h>
