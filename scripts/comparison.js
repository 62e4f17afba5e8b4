// Writes docs/comparison.md from test/data/comparison.tsv.
//
//   npm run comparison
//   npm run comparison -- --check            compare the table with the help of all installed tools
//   npm run comparison -- --check gh az      some tools
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  comparisonPage,
  findProblem,
  parseComparison,
  parseVersions,
  tools,
} from './comparison-page.js';
import { root } from './prepare.js';

const read = (name) => readFileSync(join(root, 'test/data', name), 'utf8');
const groups = parseComparison(read('comparison.tsv'));

if (process.argv.includes('--check')) {
  const others = tools.filter((tool) => tool !== 'vmctl');
  const selected = process.argv.slice(process.argv.indexOf('--check') + 1);
  const unknown = selected.filter((tool) => !others.includes(tool));
  if (unknown.length > 0) {
    console.error(`unknown tool ${unknown.join(', ')}; tools: ${others.join(' ')}`);
    process.exit(2);
  }
  const checked = selected.length > 0 ? selected : others;
  const missing = checked.filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
  const results = await Promise.all(
    checked.filter((tool) => !missing.includes(tool)).map(checkTool),
  );
  if (missing.length > 0) console.log(`not installed: ${missing.join(', ')}`);
  process.exitCode = results.every(Boolean) ? 0 : 1;
} else {
  const page = comparisonPage(groups, parseVersions(read('comparison-tools.tsv')));
  writeFileSync(join(root, 'docs/comparison.md'), page);
  console.log('updated docs/comparison.md');
}

/** Compares the cells of a tool with its help, one after the other. Returns whether all are correct. */
async function checkTool(tool) {
  const texts = new Map();
  const readHelp = (words) => {
    const key = words.join(' ');
    if (!texts.has(key)) texts.set(key, run(tool, words));
    return texts.get(key);
  };
  const cells = groups
    .flatMap(({ capabilities }) => capabilities.flatMap(({ cells }) => cells))
    .filter((cell) => cell.tool === tool);
  let wrong = 0;
  for (const cell of cells) {
    const problem = await findProblem(cell, readHelp);
    if (problem === undefined) continue;
    wrong += 1;
    console.log(`${tool}: ${cell.title}: ${cell.mark}, ${cell.evidence}: ${problem}`);
  }
  console.log(`${tool}: ${cells.length} cells, ${wrong} wrong`);
  return wrong === 0;
}

/** Runs a tool, and returns its output, or undefined if it fails. */
function run(tool, words) {
  return new Promise((resolve) => {
    const child = spawn(tool, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.on('close', (status) => resolve(status === 0 ? output : undefined));
  });
}
