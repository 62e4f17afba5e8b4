/** Run of `vmctl conformance`: checks the operations row by row and prints the findings. */

import { getFormat, isTable, printAs } from '../../cli/output/print.ts';
import { Progress } from '../../cli/output/progress.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { fetchEntryPoint, formatProduct } from '../../cli/session/connect.ts';
import { write } from '../../cli/session/io.ts';
import { writeOptionFile } from '../../cli/session/private-file.ts';
import { resolveServer } from '../../cli/session/server-target.ts';
import {
  formatOperation,
  listSpecifiedRows,
  type SpecifiedOperation,
  type SpecifiedRow,
} from '../../specification/operations.ts';
import { ChangeChecks } from './checks/change-checks.ts';
import type { Finding } from './checks/finding.ts';
import { ReadChecks } from './checks/read-checks.ts';
import { Service } from './checks/service.ts';
import { type ReportRow, renderReport } from './page.ts';

interface ConformanceFlags {
  readonly changes?: boolean;
  readonly differences?: boolean;
  readonly html?: string;
}

/** Exit code if differences are found; the same as of `vmctl diff`. */
const differencesFound = 11;

export async function checkConformance(
  cli: CommandContext,
  url: string | undefined,
  flags: ConformanceFlags,
): Promise<void> {
  if (url !== undefined) cli.useFlags({ ...cli.flags, url });
  getFormat(cli);
  const client = await cli.client();
  const api = await fetchEntryPoint(client);
  const rows = listSpecifiedRows();
  const operations = [
    ...new Map(
      rows.flatMap((row) => row.operations.map((one) => [formatOperation(one), one])),
    ).values(),
  ];
  const findings = new Map<string, Finding>();
  const service = new Service(client);
  const progress = new Progress(cli);
  const isLive = cli.io.stderr.isTTY === true;
  const note = (found: Finding) => {
    findings.set(formatOperation(found.operation), found);
    if (isLive) progress.show('operations', `${findings.size} checked`);
  };
  const changes = flags.changes ? new ChangeChecks(service, operations) : undefined;
  try {
    for await (const found of changes?.createAll() ?? []) note(found);
    const reads = new ReadChecks(service);
    for (const one of operations) {
      if (one.http !== 'GET' && one.http !== 'HEAD') continue;
      cli.signal.throwIfAborted();
      note(await reads.check(one));
    }
  } finally {
    const left: string[] = [];
    for await (const found of changes?.removeAll((path) => left.push(path)) ?? []) note(found);
    progress.clear();
    for (const path of left) cli.warn(`cannot remove ${path}`);
  }
  const all = rows.flatMap((row) => describeRow(row, findings, flags.changes === true));
  const product = formatProduct(api);
  await printFindings(cli, all, product, flags);
  if (all.some(({ verdict }) => verdict === 'differs')) cli.exitCode = differencesFound;
}

/** Report rows of a specification row, one for each operation. */
function describeRow(
  { number, operations }: SpecifiedRow,
  findings: ReadonlyMap<string, Finding>,
  changes: boolean,
): readonly ReportRow[] {
  return operations.map((one) => {
    const found = findings.get(formatOperation(one));
    return {
      row: number,
      operation: formatOperation(one),
      specification: one.success.join(' or ') || 'success',
      verdict: found?.verdict ?? 'not tried',
      service: found?.behaviour ?? reasonUntried(one, changes),
    };
  });
}

function reasonUntried({ http, path }: SpecifiedOperation, changes: boolean): string {
  if (path.startsWith('/images/')) return 'image daemon operation; needs a transfer';
  if (http === 'GET') return 'no object to try it with';
  return changes ? 'needs hosts, storage or users' : 'needs --changes';
}

async function printFindings(
  cli: CommandContext,
  all: readonly ReportRow[],
  product: string,
  flags: ConformanceFlags,
): Promise<void> {
  const count = (verdict: string) => all.filter((one) => one.verdict === verdict).length;
  const summary = `${product}: ${count('conforms')} conform, ${count('differs')} differ, ${count('not tried')} not tried`;
  // A dry run writes no file.
  if (flags.html !== undefined && !(cli.isDryRun && flags.html !== '-')) {
    const page = renderReport(all, {
      product,
      url: resolveServer(cli).url,
      summary,
      at: new Date(),
    });
    if (flags.html === '-') {
      await write(cli.io.stdout, page);
      return;
    }
    writeOptionFile('--html', flags.html, page);
  }
  const items = flags.differences ? all.filter(({ verdict }) => verdict === 'differs') : all;
  const format = getFormat(cli);
  const isSilent = cli.isOn('quiet') && isTable(format);
  if (!isSilent && format !== 'id') {
    const columns = ['row', 'operation', 'verdict', 'specification', 'service'];
    const view = { noun: 'rows', items: items.map((one) => ({ ...one })), columns };
    await printAs(cli, format, view, !cli.isOn('noHeaders'));
  }
  cli.note(summary);
}
