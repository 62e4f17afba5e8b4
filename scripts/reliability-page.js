// Text of docs/reliability.md: rows of the fault catalogue with the results of their last run.

/**
 * Page for the rows of test/data/reliability.json and the runs of test/data/reliability-runs.json.
 */
export function reliabilityPage({ parts, rows }, runs) {
  const sections = parts.map(({ letter, title }) => {
    const own = rows.filter(({ id }) => id.startsWith(letter)).map((row) => section(row, runs));
    return `## ${title}\n\n${own.join('\n')}`;
  });
  return `# Reliability

Each section is a guarantee, with the fault that tests it, the required result and the last result. To run all
tests at full length and update this page, run \`npm run test:faults\` as root. \`npm test\` runs shorter versions of
the same tests. Each test has a control: a defect that the test must detect.

${sections.join('\n')}`;
}

function section({ id, what, how, bar, absent, open }, runs) {
  const { day, node, passed = 0, failed = 0, skipped = 0, files, reached } = runs[id] ?? {};
  const outcome = [
    ...(passed > 0 ? [`${passed} passed`] : []),
    ...(failed > 0 ? [`**${failed} failed**`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return [
    `### ${id} ${what}\n`,
    `- Fault: ${how}`,
    `- Required: ${bar}`,
    ...(reached?.length > 0 ? [`- Result: ${reached.join('; ')}`] : []),
    ...(day
      ? [`- Tests: ${outcome.join(', ')} on ${day}, Node ${node}: ${files.map(code).join(', ')}`]
      : []),
    ...(open === undefined ? [] : [`- Open: ${open}`]),
    ...(absent === undefined ? [] : [`- Not tested: ${absent}`]),
    '',
  ].join('\n');
}

function code(path) {
  return `\`${path}\``;
}
