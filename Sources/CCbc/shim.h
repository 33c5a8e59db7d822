#include <stddef.h>
#include <Cbc_C_Interface.h>

/// Solves a model, as a function of the shape that a guard takes.
static inline void offpeak_cbc_solve(void *model) { Cbc_solve((Cbc_Model *)model); }
