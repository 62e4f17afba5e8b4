// Assignment of modules to files. By default, rolldown creates a file for each shared set of
// modules, so that a short command opens dozens of files, which takes longer than loading some
// unused code.
import { join } from 'node:path';

/**
 * Root modules of each file, with all their imports. A module that several files need is in the
 * first one.
 */
const roots = {
  // Completion needs only these modules.
  start: ['cli/main', 'cli/user-commands', 'cli/session/name-cache', 'built-file'].map(
    (path) => `src/${path}.ts`,
  ),
  // Small commands in one file, because opening a file would cost more than it saves.
  program: [
    'program',
    ...['api', 'context', 'login', 'logout', 'wait', 'whoami'].map((name) => `commands/${name}`),
  ].map((path) => `src/cli/${path}.ts`),
};

/** @param root folder of the project */
export function chunks(root) {
  const groups = Object.entries(roots).map(([name, paths], index) => {
    let needed;
    return {
      debugName: name,
      priority: Object.keys(roots).length - index,
      name: (id, graph) => {
        needed ??= listImports(
          paths.map((path) => join(root, path)),
          graph,
        );
        return needed.has(id) ? name : null;
      },
    };
  });
  return { groups };
}

/** Modules with their direct and indirect imports. */
function listImports(paths, graph) {
  const found = new Set(paths);
  for (const id of found) {
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  }
  return found;
}
