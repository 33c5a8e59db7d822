#include <modbus/modbus.h>
