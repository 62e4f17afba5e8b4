// Builds dist/: one bundle with lazy chunks for the command, one for the image daemon's thread.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Loading undici as a whole costs more than a small request does. Its parts load alone; this maps
 * the plain import to the few that `src/client` uses.
 */
const leanUndici = {
  name: 'lean-undici',
  setup(build) {
    build.onResolve({ filter: /^undici$/ }, () => ({ path: `${root}src/client/undici-parts.cjs` }));
  },
};

rmSync(`${root}dist`, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: {
    main: 'src/cli/main.ts',
    'images-worker': 'src/images/worker.ts',
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  mainFields: ['module', 'main'],
  target: 'node20',
  minifySyntax: true,
  minifyIdentifiers: true,
  minifyWhitespace: true,
  legalComments: 'none',
  sourcemap: 'linked',
  sourcesContent: false,
  chunkNames: 'chunks/[name]-[hash]',
  // Native modules stay outside: they are optional and found at run time.
  external: ['libsql', 'koffi', 'keytar'],
  // Bundled CommonJS packages call require() for Node's own modules.
  banner: {
    js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
  },
  plugins: [leanUndici],
  logLevel: 'warning',
});
