/** The run of `vmctl conformance`: every operation is looked at, row by row, and what came of it is told. */

import { formatOf, isTable, printAs } from '../../cli/output/print.ts';
import { Progress } from '../../cli/output/progress.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { entryPoint, productOf } from '../../cli/session/connect.ts';
import { write } from '../../cli/session/io.ts';
import { writeOptionFile } from '../../cli/session/private-file.ts';
import { targetOf } from '../../cli/session/target.ts';
import { ChangeChecks } from './checks/change-checks.ts';
import type { Finding } from './checks/finding.ts';
import { ReadChecks } from './checks/read-checks.ts';
import { Service } from './checks/service.ts';
import {
  keyOf,
  type SpecifiedOperation,
  type SpecifiedRow,
  specifiedRows,
} from './checks/specified.ts';
import { type Reported, reportPage } from './page.ts';

interface ConformanceFlags {
  readonly changes?: boolean;
  readonly differences?: boolean;
  readonly html?: string;
}

/** Where there are differences: the same as `diff`. */
const differencesFound = 11;

export async function checkConformance(
  cli: CommandContext,
  url: string | undefined,
  flags: ConformanceFlags,
): Promise<void> {
  if (url !== undefined) cli.use({ ...cli.flags, url });
  formatOf(cli);
  const client = await cli.client();
  const api = await entryPoint(client);
  const rows = specifiedRows();
  const operations = [
    ...new Map(rows.flatMap((row) => row.operations.map((one) => [keyOf(one), one]))).values(),
  ];
  const findings = new Map<string, Finding>();
  const service = new Service(client);
  const progress = new Progress(cli);
  const isLive = cli.io.stderr.isTTY === true;
  const note = (found: Finding) => {
    findings.set(keyOf(found.operation), found);
    if (isLive) progress.show('operations', `${findings.size} checked`);
  };
  const changes = flags.changes ? new ChangeChecks(service, operations) : undefined;
  try {
    for await (const found of changes?.make() ?? []) note(found);
    const reads = new ReadChecks(service);
    for (const one of operations) {
      if (one.http !== 'GET' && one.http !== 'HEAD') continue;
      cli.signal.throwIfAborted();
      note(await reads.check(one));
    }
  } finally {
    const left: string[] = [];
    for await (const found of changes?.remove((path) => left.push(path)) ?? []) note(found);
    progress.clear();
    for (const path of left) cli.warn(`cannot remove ${path}`);
  }
  const all = rows.flatMap((row) => reported(row, findings, flags.changes === true));
  const product = productOf(api);
  await tell(cli, all, product, flags);
  if (all.some(({ verdict }) => verdict === 'differs')) cli.exitCode = differencesFound;
}

/** What is told of a row: a line for each of its operations. */
function reported(
  { number, operations }: SpecifiedRow,
  findings: ReadonlyMap<string, Finding>,
  changes: boolean,
): readonly Reported[] {
  return operations.map((one) => {
    const found = findings.get(keyOf(one));
    return {
      row: number,
      operation: keyOf(one),
      specification: one.success.join(' or ') || 'success',
      verdict: found?.verdict ?? 'not tried',
      service: found?.does ?? untried(one, changes),
    };
  });
}

function untried({ http, path }: SpecifiedOperation, changes: boolean): string {
  if (path.startsWith('/images/')) return 'image daemon operation; needs a transfer';
  if (http === 'GET') return 'no object to try it with';
  return changes ? 'needs hosts, storage or users' : 'needs --changes';
}

async function tell(
  cli: CommandContext,
  all: readonly Reported[],
  product: string,
  flags: ConformanceFlags,
): Promise<void> {
  const count = (verdict: string) => all.filter((one) => one.verdict === verdict).length;
  const summary = `${product}: ${count('conforms')} conform, ${count('differs')} differ, ${count('not tried')} not tried`;
  // A dry run writes no file.
  if (flags.html !== undefined && !(cli.isDryRun && flags.html !== '-')) {
    const page = reportPage(all, { product, url: targetOf(cli).url, summary, at: new Date() });
    if (flags.html === '-') {
      await write(cli.io.stdout, page);
      return;
    }
    writeOptionFile('--html', flags.html, page);
  }
  const items = flags.differences ? all.filter(({ verdict }) => verdict === 'differs') : all;
  const format = formatOf(cli);
  const isSilent = cli.on('quiet') && isTable(format);
  if (!isSilent && format !== 'id') {
    const columns = ['row', 'operation', 'verdict', 'specification', 'service'];
    const view = { noun: 'rows', items: items.map((one) => ({ ...one })), columns };
    await printAs(cli, format, view, !cli.on('noHeaders'));
  }
  cli.note(summary);
}
