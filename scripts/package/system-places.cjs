// Paths of a system package: the executable, and the program that it runs.
'use strict';

module.exports = { executable: '/usr/bin/vmctl', program: '/usr/lib/vmctl' };
