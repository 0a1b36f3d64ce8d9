#include <stddef.h>
#include <stdint.h>

// libFuzzer as a library (LLVM, "LibFuzzer: Using libFuzzer as a library"): calls `run` until it is told to stop.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *data, size_t count));
