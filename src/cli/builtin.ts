/**
 * Modules of Node, asked for directly. An import statement would make Node read every member of
 * such a module once, which for `fs` loads all its streams: a tenth of the start-up of a command.
 */
export const fs = process.getBuiltinModule('node:fs');
export const path = process.getBuiltinModule('node:path');
