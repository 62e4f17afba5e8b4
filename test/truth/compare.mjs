#!/usr/bin/env node
// Comparison of two transcripts of the same session: compare.mjs LEFT RIGHT [--ignore FILE] [-o
// report.md].
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { Differ } from './lib/diff.mjs';
import { Identities } from './lib/identity.mjs';
import { Report } from './lib/report.mjs';
import { parseBody } from './lib/tree.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ignore: { type: 'string' },
    output: { type: 'string', short: 'o', default: 'report.md' },
    only: { type: 'string' },
    groups: { type: 'string', default: '400' },
  },
});
if (positionals.length !== 2) {
  console.error(
    'usage: compare.mjs LEFT RIGHT [--ignore FILE] [--only STEPS] [--groups N] [-o report.md]',
  );
  process.exit(2);
}

const read = (place) => {
  const file = statSync(place).isDirectory() ? join(place, 'transcript.jsonl') : place;
  const bytes = readFileSync(file);
  const lines = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes)
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  if (lines[0]?.transcript !== 1) throw new Error(`${file} is not a transcript`);
  const end = lines.find((line) => line.end);
  if (!end) console.error(`compare.mjs: ${file} has no end; the run was cut off`);
  return { file, head: lines[0], end, records: lines.filter((line) => line.name) };
};
const glob = (text) =>
  new RegExp(
    `^${text
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*/g, '.*')
      .replace(/\?/g, '.')}$`,
  );

/** Lines "kind path step", each a pattern with *; a comment after # states the reason. */
const rules = options.ignore
  ? readFileSync(options.ignore, 'utf8')
      .split('\n')
      .map((line) => line.replace(/#.*/, '').trim())
      .filter(Boolean)
      .map((line) => line.split(/\s+/).map(glob))
  : [];
const isIgnored = (difference, step) =>
  rules.some(
    ([kind, path = /.*/, name = /.*/]) =>
      kind.test(difference.kind) && path.test(difference.path) && name.test(step),
  );

const [left, right] = positionals.map(read);
const rightByName = new Map(right.records.map((record) => [record.name, record]));
const leftNames = new Set(left.records.map((record) => record.name));
const identities = new Identities(left, right);
const differ = new Differ(identities);
const documents = [];
for (const [side, { records }] of Object.entries({ left, right })) {
  for (const record of records) {
    if (record.body === undefined) continue;
    record.parsed = parseBody(record.body, record.headers['content-type']);
    if (!record.parsed.root) continue;
    documents.push({ side, root: record.parsed.root });
    if (record.parsed.kind === 'xml') differ.learn(record.parsed.root);
  }
}
identities.pairByName(documents);

const report = new Report();
const wanted = options.only ? glob(options.only) : /.*/;
let compared = 0;
let ignored = 0;
for (const record of left.records) {
  const other = rightByName.get(record.name);
  if (!other || !wanted.test(record.name)) continue;
  compared += 1;
  for (const difference of differ.compare(record, other)) {
    if (isIgnored(difference, record.name)) ignored += 1;
    else report.add(difference, record, other);
  }
}
const describe = (side) =>
  `${side.head.user} at ${side.head.origin}${side.head.base}, ${side.head.started}, ${side.records.length} steps`;
const text = report.markdown({
  left: describe(left),
  right: describe(right),
  compared,
  ignored,
  limit: Number(options.groups),
  onlyLeft: left.records.filter((record) => !rightByName.has(record.name)),
  onlyRight: right.records.filter((record) => !leftNames.has(record.name)),
});
writeFileSync(options.output, text);
writeFileSync(
  join(dirname(options.output), 'differences.jsonl'),
  report
    .jsonLines()
    .map((line) => `${line}\n`)
    .join(''),
);
writeFileSync(
  join(dirname(options.output), 'score.json'),
  JSON.stringify({ compared, equal: compared - report.steps.size, causes: report.summary() }),
);
console.log(
  `${compared} steps compared, ${compared - report.steps.size} equal (${((100 * (compared - report.steps.size)) / compared).toFixed(1)} %): ${report.lines.length} differences in ${report.steps.size} steps, ${report.groups.size} causes${ignored ? `, ${ignored} ignored` : ''}`,
);
