/** The dashboard from its beginning to its end: what it needs, the terminal, the way out. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { builtFile } from '../../built-file.ts';
import { nounOf, nouns } from '../../cli/args/catalog.ts';
import type { NounModules } from '../../cli/args/command.ts';
import { CommandRunner } from '../../cli/commands/embedded/command-runner.ts';
import { wantsColor } from '../../cli/output/color.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { targetOf } from '../../cli/session/target.ts';
import { ellipsis } from '../../cli/text/display-width.ts';
import { durationOf } from '../../cli/text/duration.ts';
import { collectionsOf } from '../../cli/verbs/collections.ts';
import { verbOf } from '../../cli/verbs/derive-verbs.ts';
import { operationNamed } from '../../cli/verbs/references.ts';
import { UsageError } from '../../client/errors.ts';
import { ownCommand } from '../../own-command.ts';
import { Dashboard } from './dashboard.ts';
import { listPlace } from './place.ts';
import type { Screen, ShowScreen } from './screen/screen-view.ts';
import { isSearchable } from './shown-items.ts';
import type { DashboardState } from './state.ts';

interface UiFlags {
  readonly search?: string;
  readonly interval: string;
}

/** A second is little for a person and much for a service. */
const leastInterval = 1_000;

/** Shows the dashboard until somebody leaves it. Throws where the first list cannot be read. */
export async function runDashboard(
  cli: CommandContext,
  word: string,
  flags: UiFlags,
  modules: NounModules,
): Promise<void> {
  const { stdin, stdout } = terminalOf(cli);
  const state = beginning(cli, word, flags);
  const interval = durationOf(flags.interval, '--interval');
  if (interval < leastInterval) {
    throw new UsageError(`--interval ${flags.interval}: less than 1s`, { hint: '--interval 1s' });
  }
  const dashboard = new Dashboard(cli, new CommandRunner(cli, modules), state, interval);
  let screen: Screen | undefined;
  const { showScreen } = await loadScreen();
  await dashboard.begin(async (words) => {
    screen?.close();
    await stopReading(stdin);
    try {
      return await handOver(words);
    } finally {
      screen = showScreen(dashboard, { stdin, stdout });
    }
  });
  const onResize = () => dashboard.resize(...sizeOf(stdout));
  stdout.on('resize', onResize);
  screen = showScreen(dashboard, { stdin, stdout });
  try {
    await dashboard.run();
  } finally {
    stdout.off('resize', onResize);
    screen.close();
  }
}

function terminalOf(cli: CommandContext): {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
} {
  const { stdin, stdout, env } = cli.io;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true && env['TERM'] !== 'dumb';
  if (!isTerminal || cli.on('noInput')) {
    throw new UsageError('ui needs a terminal on standard input and output', {
      hint: 'vmctl watch vms repeats a list, vmctl events tail prints events',
    });
  }
  // They are terminals: those of this process.
  return { stdin: stdin as NodeJS.ReadStream, stdout: stdout as NodeJS.WriteStream };
}

/** Columns and lines; the last line stays empty, so that nothing scrolls. */
function sizeOf({ columns, rows }: NodeJS.WriteStream): readonly [width: number, height: number] {
  return [columns || 80, (rows || 24) - 1];
}

function beginning(cli: CommandContext, word: string, flags: UiFlags): DashboardState {
  const listed = listedNouns();
  const noun = nounOf(word);
  const sidebar = listed.findIndex((one) => one.noun === noun?.name);
  if (!noun || sidebar < 0) {
    throw new UsageError(
      noun ? `${noun.name} cannot be listed without a parent` : `unknown noun "${word}"`,
      { hint: `use one of ${listed.map((one) => one.noun).join(', ')}` },
    );
  }
  const { search = '' } = flags;
  if (search !== '' && !isSearchable({ noun: noun.name })) {
    throw new UsageError(`${noun.name} are not searchable`, { hint: 'remove --search' });
  }
  const { url, username, context } = targetOf(cli);
  const [width, height] = sizeOf(cli.io.stdout as NodeJS.WriteStream);
  const name = cli.contextName();
  const as = username === undefined ? '' : `  ${username}`;
  return {
    nouns: listed,
    title: `vmctl  ${context && name !== undefined ? `${name}  ` : ''}${url}${as}`,
    protectedContext: context?.protected ? name : undefined,
    isReadOnly: cli.on('readOnly') || context?.readOnly === true,
    hasColor: wantsColor(cli, cli.io.stdout),
    hasUnicode: ellipsis(cli.io.env) === '…',
    size: { width, height },
    focus: 'main',
    sidebar,
    places: [listPlace(noun.name, undefined, search)],
    mode: { kind: 'browse' },
    message: undefined,
    activities: [],
    transfers: [],
  };
}

/** Nouns with a list that no other object has to be named for. */
function listedNouns(): DashboardState['nouns'] {
  return nouns
    .filter(
      ({ name, api }) =>
        api &&
        verbOf(name, 'list') !== undefined &&
        collectionsOf(name).some(
          ({ path, parents }) => parents.length === 0 && operationNamed(path, 'list') !== undefined,
        ),
    )
    .map(({ name, group }) => ({ noun: name, group }));
}

/** Drawing is a bundle of its own, in modules of another form than the command. */
async function loadScreen(): Promise<{ readonly showScreen: ShowScreen }> {
  const require = createRequire(import.meta.url);
  return await require(fileURLToPath(builtFile('screen.cjs')));
}

/** What is typed from now on is for others. */
async function stopReading(stdin: NodeJS.ReadStream): Promise<void> {
  // Listeners that are removed count until the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  // Node stops to read when a stream pauses, and only one that flows does.
  stdin.resume();
  stdin.pause();
  await new Promise((resolve) => setImmediate(resolve));
}

/** Gives the terminal to a command of vmctl until it ends; its exit code. */
async function handOver(words: readonly string[]): Promise<number> {
  const { file, words: first } = ownCommand();
  const child = spawn(file, [...first, ...words], { stdio: 'inherit' });
  // Ctrl-C is for the command that has the terminal.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => resolve(code ?? 1));
    });
  } finally {
    process.off('SIGINT', ignore);
  }
}
