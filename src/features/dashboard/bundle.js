// Build of the terminal screen: a separate ES module, because its libraries use top-level await.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Library files of unused features, with their replacements. */
const replacements = [
  // Connection to developer tools.
  [/[\\/]ink[\\/]build[\\/]devtools\.js$/, 'export {};'],
  // The command has already checked that the terminal is interactive.
  [/[\\/]is-in-ci[\\/]index\.js$/, 'export default false;'],
];

const replaceModules = {
  name: 'screen',
  load(id) {
    const found = replacements.find(([file]) => file.test(id));
    return found ? { code: found[1], moduleType: 'js' } : null;
  },
};

/** Writes `dist/screen.mjs`, and `dist/screen.cjs`, which loads it. */
export async function bundle({ write, common, output, root }) {
  await write(
    {
      ...common,
      input: { screen: 'src/features/dashboard/screen/show-screen.tsx' },
      transform: { define: { 'process.env.NODE_ENV': '"production"' } },
      plugins: [replaceModules],
    },
    { ...output, format: 'esm', codeSplitting: false, entryFileNames: '[name].mjs' },
  );
  writeFileSync(join(root, 'dist/screen.cjs'), "module.exports = import('./screen.mjs');\n");
}
