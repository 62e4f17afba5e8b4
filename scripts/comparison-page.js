// Comparison of vmctl with other tools: reads test/data/comparison.tsv, writes the text of docs/comparison.md, and
// checks evidence with the help of a tool.

/** Tools in the order of the columns. */
export const tools = [
  'vmctl',
  'gh',
  'hcloud',
  'kubectl',
  'govc',
  'virsh',
  'incus',
  'openstack',
  'az',
];

/** Arguments that print the flags of every command. The help of a command lacks them. */
export const globalHelp = {
  vmctl: ['help', 'flags'],
  kubectl: ['options'],
  virsh: ['--help'],
  openstack: ['--help'],
};

/** Reads the table: groups with capabilities, each with one cell for each tool. */
export function parseComparison(text) {
  const groups = [];
  for (const line of text.trimEnd().split('\n').slice(1)) {
    if (line.startsWith('# ')) {
      groups.push({ title: line.slice(2), capabilities: [] });
      continue;
    }
    const [title, tool, mark, kind, evidence, note = ''] = line.split('\t');
    const { capabilities } = groups.at(-1);
    if (capabilities.at(-1)?.title !== title) capabilities.push({ title, cells: [] });
    capabilities.at(-1).cells.push({ title, tool, mark, kind, evidence, note });
  }
  return groups;
}

/** Reads the versions: one line for each tool. */
export function parseVersions(text) {
  return text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    .map(([tool, version, day, source]) => ({ tool, version, day, source }));
}

/** Text of docs/comparison.md. */
export function comparisonPage(groups, versions) {
  const count = groups.flatMap(({ capabilities }) => capabilities).length;
  return `# Comparison with other tools

This page compares ${count} capabilities of \`vmctl\` with eight other command-line tools. Use it to find the command for a
task that you know from one of them, and the limits of each tool.

- **yes**: the tool has the capability
- **partly**: with a limit or another program, which the cell or the list below the table names
- **no**: the tool lacks the capability
- **-**: the capability has no meaning for the tool

## Versions

| Tool | Version | Checked on | Source of the marks |
| --- | --- | --- | --- |
${versions.map(({ tool, version, day, source }) => `| ${tool} | ${version} | ${day} | ${source} |`).join('\n')}

The marks and their evidence are in \`test/data/comparison.tsv\`: for "no", words that the help of a command lacks, and for
a dash, the reason. \`npm run comparison\` writes this page. To compare the file with the help of the tools that are
installed on your computer, run \`npm run comparison -- --check\`.

${groups.map(formatGroup).join('\n')}`;
}

function formatGroup({ title, capabilities }) {
  const rows = capabilities.map(
    ({ title, cells }) => `| ${[title, ...cells.map(formatMark)].join(' | ')} |`,
  );
  return `## ${title}

| Capability | ${tools.join(' | ')} |
| --- |${' --- |'.repeat(tools.length)}
${rows.join('\n')}

<details><summary>Commands of the other tools</summary>

${capabilities.map(formatEvidence).join('\n')}

</details>
`;
}

/** A cell of a table: its mark, for vmctl with the command. */
function formatMark({ tool, mark, kind, evidence, note }) {
  if (tool !== 'vmctl' || kind === 'absent') return mark;
  return `${mark}: ${formatSource({ tool, kind, evidence })}${note === '' ? '' : ` (${note})`}`;
}

/** A line with the commands of the other tools. */
function formatEvidence({ title, cells }) {
  const known = cells.filter(({ tool, mark }) => tool !== 'vmctl' && /^(?:yes|partly)$/.test(mark));
  const sources = known.map((cell) =>
    [
      cell.kind === 'page' ? `${cell.tool} ${formatSource(cell)}` : formatSource(cell),
      ...(cell.note === '' ? [] : [`(${cell.note})`]),
    ].join(' '),
  );
  return `- ${title}: ${sources.length === 0 ? 'none' : sources.join(', ')}`;
}

function formatSource({ tool, kind, evidence }) {
  if (kind === 'command') return `\`${tool} ${evidence}\``;
  if (evidence.startsWith('docs/')) return `[${evidence.replace(/#.*/, '')}](${evidence.slice(5)})`;
  return `[documentation](${evidence})`;
}

/**
 * Returns the problem of a cell, or undefined. `readHelp(arguments)` returns the text that the tool prints for its
 * arguments, or undefined if the tool fails.
 */
export async function findProblem({ tool, mark, kind, evidence }, readHelp) {
  if (mark === '-' || kind === 'page') return undefined;
  if (mark === 'no') {
    const [command, words] = evidence.split(': ');
    const text = await readHelp(listHelpArguments(tool, command.split(' ')));
    if (text === undefined) return `no such command: ${command}`;
    const found = words.split(', ').filter((word) => contains(text, word));
    return found.length === 0 ? undefined : `help of ${command} contains ${found.join(', ')}`;
  }
  const words = evidence.split(' ');
  const end = words.findIndex((word) => /^-|^[A-Z_]+$/.test(word));
  const command = end < 0 ? words : words.slice(0, end);
  const own = await readHelp(listHelpArguments(tool, command));
  if (own === undefined) return 'no such command';
  // Some tools print the help of the parent for an unknown command.
  if (command[0] !== 'help' && !own.replace(/\s+/g, ' ').includes(command.join(' '))) {
    return 'the help does not name the command';
  }
  const shared = globalHelp[tool] === undefined ? '' : await readHelp(globalHelp[tool]);
  const missing = words.slice(command.length).filter((word) => !contains(own + shared, word));
  return missing.length === 0 ? undefined : `the help lacks ${missing.join(', ')}`;
}

/** The arguments for the help of a command. The exit code of govc is 1 for `--help`. */
function listHelpArguments(tool, command) {
  if (command[0] === 'help') return command;
  const path = command[0] === '--help' ? [] : command;
  return [...path, tool === 'govc' ? '-h' : '--help'];
}

/** Whether a text contains a flag, or a word, which can be a part of a flag: `prune` is in `--prune`. */
function contains(text, word) {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const before = word.startsWith('-') ? '(?<![\\w-])' : '(?<!\\w)';
  const after = word.startsWith('-') ? '(?![\\w-])' : '(?!\\w)';
  return new RegExp(before + escaped + after, 'i').test(text);
}
