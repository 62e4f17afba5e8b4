// Check of the language in texts that users read: documents, and texts in `src`, `bin` and the demo.
// `npm run lint` fails for each sentence that matches a signal below and is not in the list of exceptions.
// Usage: node scripts/lint-prose.js [FILE or FOLDER ...]
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Signals of a sentence that is not plain English: the reason that is printed, and the pattern. */
const signals = [
  [
    'name the actor, and use the term',
    /\b(is|are|was|were|be|been|being) (told|said|noted|asked|kept|held|made|given|taken|put|let|meant|looked (at|for|up)|gone|there|so|such|left|had)\b/i,
  ],
  [
    'name the thing, instead of a clause',
    /(^|[,;:(] ?|\b(of|by|from|with|about|for|in|to|and|or|than|beside|behind|from|not) )(what|whatever|whoever|whom|that which|those (that|who|which))\b/i,
  ],
  [
    'begin with the subject',
    /^(What|Whoever|Whatever|Whom|Who|Where|Nothing|Nobody|None|One that|Those|All that|Such|So (many|much)|As (it|they) (is|are))\b/,
  ],
  [
    'write "if" for a condition',
    /\bwhere (it|they|that|there|this|nobody|nothing|somebody|one|no|none|an?|the)\b/i,
  ],
  ['name the actor', /\b(nobody|somebody|anybody|everybody|no one|whoever)\b/i],
  [
    'name the thing or the position',
    /\b(the (way|place|word|words|rest|others?) of\b|in (its|their) place|at hand|that (is|are) there|which there (is|are)|there (is|are) (no|none|one|more)\b)/i,
  ],
  [
    'use the standard term',
    /\b(of (its|their|his) own|by (itself|themselves)|as (it|they) (is|are|was|were)|so (already|many|much)|such an?|meanwhile|in silence|at once|once more|again and again|no more|any more|not any)\b/i,
  ],
  [
    'use the standard verb',
    /\b(goes on|go on|carry on|carries on|comes? to rest|came of|come of|stands? (for|beside|in)|put(s)? (into|out)|taken? (back|off|away|apart)|gives? back|look(s|ed)? again)\b/i,
  ],
  [
    'write "after", "before" or "next to"',
    /\b(behind|beside|beyond) (it|them|that|this|the|a|an|one)\b/i,
  ],
];

const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs', 'man/README.md', 'src', 'bin'],
  ...['scripts/demo.js', 'scripts/demo-steps.js', 'scripts/demo-cluster.js'],
];

/** Folders whose Markdown is generated from texts in `src`. */
const generated = /(^|\/)(docs\/commands|node_modules)\/|\.generated\.ts$/;

function* filesBelow(path) {
  let entries;
  try {
    entries = readdirSync(join(root, path), { withFileTypes: true });
  } catch {
    yield path;
    return;
  }
  for (const entry of entries) yield* filesBelow(`${path}/${entry.name}`);
}

/** The sentences of a paragraph; fragments of fewer than two words are not sentences. */
function sentencesOf(text) {
  return text
    .replace(/\s+/g, ' ')
    .split(/(?<=[.!?:;])\s+(?=[A-Z`"'(])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[a-z]{2,} [a-z]{2,}/i.test(sentence));
}

function* markdownSentences(text) {
  const prose = text
    .replace(/```[\s\S]*?```/g, (block) => block.replace(/[^\n]/g, ' '))
    .replace(/`[^`\n]*`/g, 'x')
    .replace(/\]\([^)]*\)/g, ']');
  let line = 1;
  for (const part of prose.split(/(\n\s*\n|\n(?=[|#*-]))/)) {
    const lead = /^[#|*\-\s]*/.exec(part)?.[0] ?? '';
    for (const sentence of sentencesOf(part.slice(lead.length))) yield { line, sentence };
    line += part.split('\n').length - 1;
  }
}

/** Text literals of at least three words; a value in a template is one word. */
function* literalSentences(file, text) {
  const tree = parseAst(text, {
    lang: file.endsWith('x') ? 'tsx' : file.endsWith('.js') ? 'js' : 'ts',
    astType: 'ts',
  });
  const lineAt = (offset) => text.slice(0, offset).split('\n').length;
  const open = [tree];
  while (open.length > 0) {
    const node = open.pop();
    if (Array.isArray(node)) {
      open.push(...node);
      continue;
    }
    if (node === null || typeof node !== 'object') continue;
    if (node.type === 'ImportDeclaration') continue;
    const literal =
      node.type === 'Literal' && typeof node.value === 'string'
        ? node.value
        : node.type === 'TemplateLiteral'
          ? node.quasis.map(({ value }) => value.cooked ?? '').join('X')
          : node.type === 'JSXText'
            ? node.value
            : '';
    if (
      /[a-z]{2,} [a-z]{2,} [a-zX]+/i.test(literal) &&
      !/\b(SELECT|INSERT|UPDATE|DELETE FROM|CREATE|PRAGMA|WHERE)\b/.test(literal)
    ) {
      for (const sentence of sentencesOf(literal.replace(/`[^`\n]*`/g, 'x'))) {
        yield { line: lineAt(node.start), sentence };
      }
    }
    for (const [key, value] of Object.entries(node)) {
      if (key !== 'parent' && value !== null && typeof value === 'object') open.push(value);
    }
  }
}

const given = process.argv.slice(2);
const exceptions = JSON.parse(readFileSync(join(root, 'scripts/prose-exceptions.json'), 'utf8'));
const accepted = new Set(Object.values(exceptions).flat());
const counts = new Map();
const used = new Set();
let failures = 0;
for (const path of given.length > 0 ? given : documents) {
  for (const file of filesBelow(path)) {
    if (!/\.(md|tsx?|js)$/.test(file) || generated.test(file)) continue;
    const text = readFileSync(join(root, file), 'utf8');
    const found = file.endsWith('.md') ? markdownSentences(text) : literalSentences(file, text);
    const kind = file.endsWith('.md') ? 'documents' : 'texts of the program';
    const count = counts.get(kind) ?? { all: 0, flagged: 0 };
    counts.set(kind, count);
    for (const { line, sentence } of found) {
      count.all += 1;
      const reasons = signals.filter(([, pattern]) => pattern.test(sentence)).map(([why]) => why);
      if (reasons.length === 0) continue;
      count.flagged += 1;
      if (accepted.has(sentence)) {
        used.add(sentence);
        continue;
      }
      failures += 1;
      console.error(`${file}:${line}: ${reasons.join('; ')}: ${sentence}`);
    }
  }
}
for (const sentence of given.length > 0 ? [] : accepted) {
  if (used.has(sentence)) continue;
  failures += 1;
  console.error(`scripts/prose-exceptions.json: no text has this sentence: ${sentence}`);
}
for (const [kind, { all, flagged }] of counts) {
  const share = ((100 * flagged) / Math.max(1, all)).toFixed(1);
  console.log(`Prose of ${kind}: ${flagged} of ${all} sentences flagged (${share} %)`);
}
if (failures > 0) process.exitCode = 1;
