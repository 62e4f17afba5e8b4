// Check of the language: documents, texts for users in `src`, `bin` and the demo, comments, and titles of tests.
// `npm run lint` fails for each sentence of a document or text that matches a signal below and is not in the
// list of exceptions. In comments and titles it accepts a small share of such sentences in each folder.
// Usage: node scripts/lint-prose.js [FILE or FOLDER ...]
//        node scripts/lint-prose.js --comments [FOLDER ...]    only comments and titles; lists the sentences
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

/** Largest share of flagged sentences in the comments and titles of a folder. */
const largestShare = 0.03;

/** Folders with comments and titles. */
const commented = ['src', 'test', 'bin', 'scripts', 'bench'];

/** Folders whose Markdown is generated from texts in `src`. */
const generated = /(^|\/)(docs\/commands|node_modules)\/|\.generated\.ts$/;

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

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
function splitSentences(text) {
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
    for (const sentence of splitSentences(part.slice(lead.length))) yield { line, sentence };
    line += part.split('\n').length - 1;
  }
}

function parse(file, text) {
  const [, kind] = /\.(d\.ts|tsx|ts)$/.exec(file) ?? [];
  const lang = kind === 'd.ts' ? 'dts' : (kind ?? 'js');
  return parseAst(text, { lang, astType: 'ts' });
}

/** All nodes of a syntax tree, except for those of imports. */
function* walkNodes(tree) {
  const open = [tree];
  while (open.length > 0) {
    const node = open.pop();
    if (Array.isArray(node)) {
      open.push(...node);
      continue;
    }
    if (node === null || typeof node !== 'object') continue;
    if (node.type === 'ImportDeclaration') continue;
    yield node;
    for (const [key, value] of Object.entries(node)) {
      if (key !== 'parent' && value !== null && typeof value === 'object') open.push(value);
    }
  }
}

/** Text of a literal; a value in a template is one word. Empty for other nodes. */
function literalText(node) {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateLiteral') {
    return node.quasis.map(({ value }) => value.cooked ?? '').join('X');
  }
  return node.type === 'JSXText' ? node.value : '';
}

function lineAt(text, offset) {
  return text.slice(0, offset).split('\n').length;
}

/** Text literals of at least three words. */
function* literalSentences(file, text) {
  for (const node of walkNodes(parse(file, text))) {
    const literal = literalText(node);
    if (
      /[a-z]{2,} [a-z]{2,} [a-zX]+/i.test(literal) &&
      !/\b(SELECT|INSERT|UPDATE|DELETE FROM|CREATE|PRAGMA|WHERE)\b/.test(literal)
    ) {
      for (const sentence of splitSentences(literal.replace(/`[^`\n]*`/g, 'x'))) {
        yield { line: lineAt(text, node.start), sentence };
      }
    }
  }
}

/** Name of the function in a call such as `it.each([...])('title', ...)`. */
function calleeName(node) {
  const inner = node.callee ?? node.object ?? node.tag;
  return inner === undefined ? node.name : calleeName(inner);
}

/** Sentences of comments, and of titles of tests. */
function* commentSentences(file, text) {
  const nodes = [...walkNodes(parse(file, text))];
  // Literals can contain the marks of comments.
  const literals = nodes.filter(({ type }) => /^(Literal|TemplateElement|JSXText)$/.test(type));
  const parts = [];
  let end = 0;
  for (const literal of literals.toSorted((one, other) => one.start - other.start)) {
    if (literal.start < end) continue;
    parts.push(text.slice(end, literal.start), '_'.repeat(literal.end - literal.start));
    end = literal.end;
  }
  const code = parts.join('') + text.slice(end);
  const comments = /\/\*[\s\S]*?\*\/|\/\/.*(?:\n[ \t]*\/\/.*)*/g;
  for (const { 0: comment, index } of code.matchAll(comments)) {
    if (/^\/\/ ?(biome-ignore|@ts-)/.test(comment)) continue;
    const body = comment.replace(/^\/\*+|\*\/$/g, '').replace(/^[ \t]*(\/\/|\*)/gm, ' ');
    for (const sentence of splitSentences(body.replace(/`[^`]*`/g, 'x'))) {
      yield { line: lineAt(text, index), sentence };
    }
  }
  for (const node of nodes) {
    if (node.type !== 'CallExpression' || !/^(describe|it|test)$/.test(calleeName(node))) continue;
    const title = literalText(node.arguments[0] ?? node);
    for (const sentence of splitSentences(title))
      yield { line: lineAt(text, node.start), sentence };
  }
}

/** Folder that is checked as a unit: two levels in some folders of `src`, otherwise one. */
function findFolder(file) {
  return /^(src\/(server|cli|features|lib)|src|test)\/[^/]+(?=\/)|^[^/]+/.exec(file)?.[0] ?? file;
}

function reasonsFor(sentence) {
  return signals.filter(([, pattern]) => pattern.test(sentence)).map(([why]) => why);
}

/** Checks the comments and titles of each folder. Returns the number of folders above the limit. */
function checkComments(paths, lists) {
  const folders = new Map();
  for (const path of paths) {
    for (const file of filesBelow(path)) {
      if (!/\.(tsx?|[cm]?js)$/.test(file) || /\.generated\.ts$|(^|\/)data\//.test(file)) continue;
      const folder = lists ? path : findFolder(file);
      const count = folders.get(folder) ?? { all: 0, flagged: 0 };
      folders.set(folder, count);
      for (const { line, sentence } of commentSentences(
        file,
        readFileSync(join(root, file), 'utf8'),
      )) {
        count.all += 1;
        const reasons = reasonsFor(sentence);
        if (reasons.length === 0) continue;
        count.flagged += 1;
        if (lists) console.log(`${file}:${line}: ${reasons.join('; ')}: ${sentence}`);
      }
    }
  }
  let failed = 0;
  for (const [folder, { all, flagged }] of folders) {
    const share = `${flagged} of ${all} sentences flagged (${((100 * flagged) / Math.max(1, all)).toFixed(1)} %)`;
    const isAbove = flagged > 1 && flagged > largestShare * all;
    if (lists) console.log(`Comments and titles in ${folder}: ${share}`);
    if (isAbove) {
      failed += 1;
      console.error(
        `${folder}: ${share} in comments and titles, more than ${100 * largestShare} %; list them with --comments ${folder}`,
      );
    }
  }
  return failed;
}

const given = process.argv.slice(2);
if (given[0] === '--comments') {
  const paths = given.length > 1 ? given.slice(1) : commented;
  process.exit(checkComments(paths, given.length > 1) > 0 ? 1 : 0);
}
const exceptions = readJson('scripts/prose-exceptions.json');
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
      const reasons = reasonsFor(sentence);
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
if (given.length === 0) failures += checkComments(commented, false);
if (failures > 0) process.exitCode = 1;
