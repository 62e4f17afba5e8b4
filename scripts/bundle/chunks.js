// Which modules share a file. Left alone, rolldown makes a file of whatever one part loads without
// another, and a short command opens dozens of them; to open one costs more than to load a little
// that is not needed.
import { join } from 'node:path';

/** What is loaded with everything that it imports: a file each; what two of them need is in the first. */
const roots = {
  // Completion needs no more than this beside itself.
  start: ['src/cli/main.ts', 'src/cli/session/name-cache.ts', 'src/built-file.ts'],
  // Commands that are too small for a file each: to open it would cost more than it saves.
  program: [
    'program',
    ...['api', 'context', 'login', 'logout', 'wait', 'whoami'].map((name) => `commands/${name}`),
  ].map((path) => `src/cli/${path}.ts`),
};

/** @param root the folder of the project */
export function chunks(root) {
  const groups = Object.entries(roots).map(([name, paths], index) => {
    let needed;
    return {
      debugName: name,
      priority: Object.keys(roots).length - index,
      name: (id, graph) => {
        needed ??= importsOf(
          paths.map((path) => join(root, path)),
          graph,
        );
        return needed.has(id) ? name : null;
      },
    };
  });
  return { groups };
}

/** Modules and all that they import, by themselves or by what they import. */
function importsOf(paths, graph) {
  const found = new Set(paths);
  for (const id of found) {
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  }
  return found;
}
