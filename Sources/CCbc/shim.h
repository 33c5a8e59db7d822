#include <stddef.h>
#include <Cbc_C_Interface.h>
