// Layout of the sources for `npm run lint`: permitted imports between modules, no cycles of folders
// or files, at most 400 lines in a file of logic, and a first line with its purpose. See
// `docs/architecture.md`.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Permitted imports of each module, in addition to packages and files in `src` itself. */
export const modules = {
  model: [],
  specification: [],
  extents: [],
  hash: [],
  formats: [],
  'http-listener': [],
  wire: ['model'],
  search: ['model'],
  definitions: ['model', 'wire'],
  ovf: ['model', 'wire'],
  recording: ['model', 'wire'],
  client: ['model', 'wire'],
  transfer: ['client', 'extents', 'formats', 'hash', 'model'],
  images: ['extents', 'hash', 'http-listener', 'wire'],

  'cli/text': ['client'],
  'cli/session': ['cli/text', 'client', 'model', 'recording', 'wire'],
  'cli/args': ['cli/session', 'cli/text', 'client', 'definitions', 'model'],
  'cli/output': ['cli/session', 'cli/text', 'client', 'model', 'wire'],
  'cli/verbs': [
    ...['cli/args', 'cli/output', 'cli/session', 'cli/text'],
    ...['client', 'definitions', 'model', 'search', 'wire'],
  ],
  'cli/other-tools': ['cli/args', 'cli/verbs', 'client'],
  'cli/plugins': ['cli/args', 'cli/session', 'client'],
  'cli/help': [
    ...['cli/args', 'cli/output', 'cli/plugins', 'cli/session', 'cli/text', 'cli/verbs'],
    ...['client', 'model'],
  ],
  'cli/completion': [
    ...['cli/args', 'cli/help', 'cli/output', 'cli/plugins', 'cli/session', 'cli/verbs'],
    ...['client', 'model', 'search'],
  ],
  'cli/parse': ['cli/args', 'cli/help', 'cli/session', 'cli/text', 'client'],
  // Only commands import both client and server.
  'cli/commands': ['*'],
  // Lists features; only the list imports them.
  features: [],
  cli: ['cli/*', 'client', 'features'],

  'server/files': [],
  'server/reference-data': ['model'],
  'server/store': ['model', 'search', 'wire', 'server/files'],
  'server/tls': ['server/files'],
  'server/core': ['model', 'server/files', 'formats', 'server/store'],
  'server/folder': ['server/core', 'server/files', 'server/store'],
  'server/auth': ['model', 'server/core', 'server/files', 'server/store'],
  'server/api': [
    ...['model', 'search', 'wire', 'server/auth', 'server/core', 'server/inventory'],
    'server/store',
  ],
  'server/inventory': ['model', 'server/auth', 'server/core', 'server/store'],
  'server/resources': [
    ...['model', 'server/api', 'server/auth', 'server/core', 'formats', 'server/inventory'],
    ...['ovf', 'server/reference-data', 'server/store'],
  ],
  'server/seed': [
    ...['definitions', 'model', 'server/api', 'server/auth', 'server/core', 'server/inventory'],
    ...['server/reference-data', 'server/resources', 'server/store'],
  ],
  'server/images': [
    ...['images', 'server/core', 'server/files', 'formats', 'server/inventory'],
    ...['server/resources', 'server/store'],
  ],
  'server/backup': ['extents', 'server/files', 'server/folder', 'server/images', 'server/store'],
  'server/admin': [
    ...[
      'model',
      'recording',
      'server/api',
      'server/auth',
      'server/core',
      'server/files',
      'server/store',
    ],
  ],
  'server/http': [
    ...[
      'http-listener',
      'model',
      'wire',
      'server/admin',
      'server/api',
      'server/auth',
      'server/core',
    ],
    'server/store',
  ],
  server: ['images', 'model', 'server/*'],
  testkit: ['cli/args', 'features', 'server', 'server/admin', 'server/core'],
};

/** Packages that only some modules may import: the modules by package. */
const packages = {
  'node:sqlite': ['server/store'],
  libsql: ['server/store'],
  'node:http': ['cli/session', 'http-listener', 'images', 'server/api', 'server/http'],
  'node:https': ['http-listener'],
  // The HTTP client of all commands.
  undici: ['client', 'transfer'],
};

/** Code that a helper contains. Other files call the helper instead of repeating it. */
const helpers = [
  { file: 'caught-errors.ts', check: /instanceof Error\s*\?\s*\w+\.message\s*:\s*String\(/ },
  { file: 'caught-errors.ts', check: /instanceof Error\s*\?\s*\w+\s*:\s*new Error\(String\(/ },
  { file: 'records.ts', check: /=== 'object' && \w+ !== null && !Array\.isArray\(/ },
  // Loops with pauses poll; only limits and repeated requests pause directly.
  {
    file: 'client/poll.ts',
    check: /import \{[^}]*\bpause\b[^}]*\} from '[^']*\/retry\.ts'/,
    exempt: /^transfer\/rate-limit\.ts$/,
  },
  {
    file: 'client/poll.ts',
    check: /new Promise(<\w+>)?\(\((\w+)\) => setTimeout\(\2,|from '(node:)?timers\/promises'/,
    // The server and its features do not import the client. The lock of private files is local.
    exempt: /^(server|images|features\/(faults|postgres|qemu))\/|^cli\/session\/private-file\.ts$/,
  },
];
/** The inspector's browser part is a separate project that imports no module. */
const isolated = /^features\/inspector\/browser\//;

/** Maximum lines of a file of logic. Tables of data may be longer. */
const maxLines = 400;
const tables = /^model\/|^server\/reference-data\/|\.generated\.ts$/;

/** Finds all problems in sources, given as texts by path below `src`. One line each. */
export function findLayoutProblems(texts) {
  const problems = [];
  const folders = new Map();
  const files = new Map();
  for (const [file, text] of texts) {
    const own = findModule(file);
    for (const [, path] of text.matchAll(/(?:from|import|import\()\s*'([^']+)'/g)) {
      if (!path.startsWith('.')) {
        const allowed = packages[path];
        if (allowed && !allowed.includes(own)) problems.push(`${file}: ${path} is not for ${own}`);
        continue;
      }
      const target = normalize(join(dirname(file), path));
      // Files in `src` itself contain properties of the package.
      if (dirname(target) !== '.') addTo(folders, dirname(file), dirname(target));
      addTo(files, file, target);
      const other = findModule(target);
      if (other === own || other === '.' || own === '.') continue;
      if (own === 'features' && isEntryOfFeature(target)) continue;
      if (own.startsWith('features/')) {
        if (/^features(\/|$)/.test(other))
          problems.push(`${file}: ${own} must not import ${other}`);
        continue;
      }
      if (!modules[own]) problems.push(`${file}: ${own} is not a module in scripts/lint-layout.js`);
      else if (!mayImport(modules[own], other))
        problems.push(`${file}: ${own} must not import ${other}`);
    }
    if (!file.endsWith('.generated.ts') && !/^(#!.*\n)?\/\*\*\s/.test(text)) {
      problems.push(`${file}: its first line does not say what is in it`);
    }
    for (const { file: helper, check, exempt } of helpers) {
      if (file !== helper && !isolated.test(file) && !exempt?.test(file) && check.test(text)) {
        problems.push(`${file}: repeats code of ${helper}; call its function`);
      }
    }
    const lines = text.split('\n').length - 1;
    if (lines > maxLines && !tables.test(file)) {
      problems.push(`${file}: ${lines} lines, more than ${maxLines}`);
    }
  }
  for (const [what, imports] of Object.entries({ folders, files })) {
    const cycle = findCycle(imports);
    if (cycle) problems.push(`${what} import each other: ${cycle.join(' -> ')}`);
  }
  return problems;
}

/** Each folder in the server and the command line, and each feature, is a module. */
function findModule(file) {
  const [first, second] = dirname(file).split('/');
  return second && ['server', 'cli', 'features'].includes(first) ? `${first}/${second}` : first;
}

/** The entry of a feature, as `features/index.ts` imports it. */
function isEntryOfFeature(target) {
  return /^features\/[\w-]+\/feature\.ts$/.test(target);
}

function mayImport(allowed, module) {
  return allowed.some(
    (one) =>
      one === '*' || one === module || (one.endsWith('/*') && module.startsWith(one.slice(0, -1))),
  );
}

function addTo(folders, from, to) {
  const targets = folders.get(from) ?? new Set();
  folders.set(from, targets);
  if (from !== to) targets.add(to);
}

/**
 * Folders or files of a cycle, with the first one repeated at the end. `undefined` without a cycle.
 */
function findCycle(imports) {
  const done = new Set();
  const visit = (one, way) => {
    if (way.includes(one)) return [...way.slice(way.indexOf(one)), one];
    if (done.has(one)) return undefined;
    for (const next of imports.get(one) ?? []) {
      const cycle = visit(next, [...way, one]);
      if (cycle) return cycle;
    }
    done.add(one);
    return undefined;
  };
  for (const one of imports.keys()) {
    const cycle = visit(one, []);
    if (cycle) return cycle;
  }
  return undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../src/', import.meta.url));
  const files = readdirSync(root, { recursive: true }).filter((name) => /\.tsx?$/.test(name));
  const problems = findLayoutProblems(
    files.map((file) => [file, readFileSync(join(root, file), 'utf8')]),
  );
  for (const problem of problems) console.error(`src/${problem}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
