/** Run of `vmctl ui`: terminal checks, initial state, screen and cleanup. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { builtFile } from '../../built-file.ts';
import { findNoun, nouns } from '../../cli/args/catalog.ts';
import type { NounModules } from '../../cli/args/command.ts';
import { CommandRunner } from '../../cli/commands/embedded/command-runner.ts';
import { wantsColor } from '../../cli/output/color.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { resolveServer } from '../../cli/session/server-target.ts';
import { getEllipsis } from '../../cli/text/display-width.ts';
import { parseTimerDuration } from '../../cli/text/duration.ts';
import { listCollections } from '../../cli/verbs/collections.ts';
import { findVerb } from '../../cli/verbs/derive-verbs.ts';
import { findOperation } from '../../cli/verbs/references.ts';
import { UsageError } from '../../client/errors.ts';
import { ownCommand } from '../../own-command.ts';
import { Dashboard } from './dashboard.ts';
import type { Screen, ShowScreen } from './screen/screen-view.ts';
import { isSearchable } from './shown-items.ts';
import type { DashboardState } from './state.ts';
import { createListView } from './views.ts';

interface UiFlags {
  readonly search?: string;
  readonly interval: string;
}

/** Minimum poll interval in milliseconds, which limits the load on the service. */
const minimumIntervalMs = 1_000;

/** Shows the dashboard until the user leaves it. Throws if the first list cannot be read. */
export async function runDashboard(
  cli: CommandContext,
  word: string,
  flags: UiFlags,
  modules: NounModules,
): Promise<void> {
  const { stdin, stdout } = requireTerminal(cli);
  const state = createState(cli, word, flags, getSize(stdout));
  const interval = parseTimerDuration(flags.interval, '--interval');
  if (interval < minimumIntervalMs) {
    throw new UsageError(`--interval ${flags.interval}: less than 1s`, { hint: '--interval 1s' });
  }
  const dashboard = new Dashboard(cli, new CommandRunner(cli, modules), state, interval);
  let screen: Screen | undefined;
  const { showScreen } = await loadScreen();
  await dashboard.start(async (words) => {
    screen?.close();
    await stopReading(stdin);
    try {
      return await runInTerminal(words);
    } finally {
      screen = showScreen(dashboard, { stdin, stdout });
    }
  });
  const onResize = () => dashboard.resize(...getSize(stdout));
  stdout.on('resize', onResize);
  screen = showScreen(dashboard, { stdin, stdout });
  try {
    await dashboard.run();
  } finally {
    stdout.off('resize', onResize);
    screen.close();
  }
}

function requireTerminal(cli: CommandContext): {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
} {
  const { stdin, stdout, env } = cli.io;
  const isUsable = env['TERM'] !== 'dumb' && !cli.isOn('noInput');
  if (isUsable && isTerminalInput(stdin) && isTerminalOutput(stdout)) return { stdin, stdout };
  throw new UsageError('ui needs a terminal on standard input and output', {
    hint: 'vmctl watch vms repeats a list, vmctl events tail prints events',
  });
}

function isTerminalInput(stream: CommandContext['io']['stdin']): stream is NodeJS.ReadStream {
  return stream.isTTY === true;
}

function isTerminalOutput(stream: CommandContext['io']['stdout']): stream is NodeJS.WriteStream {
  return stream.isTTY === true;
}

/** Columns and lines. The last line stays empty to avoid scrolling. */
function getSize({ columns, rows }: NodeJS.WriteStream): readonly [width: number, height: number] {
  return [columns || 80, (rows || 24) - 1];
}

/** Initial state with the list of a noun. Throws `UsageError` if it cannot be listed. */
export function createState(
  cli: CommandContext,
  word: string,
  flags: UiFlags,
  [width, height]: ReturnType<typeof getSize>,
): DashboardState {
  const listed = findListableNouns();
  const noun = findNoun(word);
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
  const { url, username, context } = resolveServer(cli);
  const name = cli.contextName();
  const as = username === undefined ? '' : `  ${username}`;
  return {
    nouns: listed,
    title: `vmctl  ${context && name !== undefined ? `${name}  ` : ''}${url}${as}`,
    protectedContext: context?.protected ? name : undefined,
    isReadOnly: cli.isOn('readOnly') || context?.readOnly === true,
    hasColor: wantsColor(cli, cli.io.stdout),
    hasUnicode: getEllipsis(cli.io.env) === '…',
    size: { width, height },
    focus: 'main',
    sidebar,
    views: [createListView(noun.name, undefined, search)],
    mode: { kind: 'browse' },
    message: undefined,
    activities: [],
    transfers: [],
  };
}

/** Nouns that can be listed without a parent. */
function findListableNouns(): DashboardState['nouns'] {
  return nouns
    .filter(
      ({ name, api }) =>
        api &&
        findVerb(name, 'list') !== undefined &&
        listCollections(name).some(
          ({ path, parents }) => parents.length === 0 && findOperation(path, 'list') !== undefined,
        ),
    )
    .map(({ name, group }) => ({ noun: name, group }));
}

/** Loads the screen from its separate bundle, which is an ES module. */
async function loadScreen(): Promise<{ readonly showScreen: ShowScreen }> {
  const require = createRequire(import.meta.url);
  return await require(fileURLToPath(builtFile('screen.cjs')));
}

/** Stops reading from stdin, so that the next program receives the input. */
async function stopReading(stdin: NodeJS.ReadStream): Promise<void> {
  // Removed listeners stay active until the next turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  // Node.js stops reading only if a flowing stream is paused.
  stdin.resume();
  stdin.pause();
  await new Promise((resolve) => setImmediate(resolve));
}

/** Runs a `vmctl` command with the terminal of this process; resolves with its exit code. */
async function runInTerminal(words: readonly string[]): Promise<number> {
  const { file, words: first } = ownCommand();
  const child = spawn(file, [...first, ...words], { stdio: 'inherit' });
  // The terminal sends SIGINT to both processes; only the child handles it.
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
