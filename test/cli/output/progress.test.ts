/** Progress: redrawn lines on a terminal, otherwise one line for each change. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Progress, ProgressBoard } from '../../../src/cli/output/progress.ts';
import { CommandContext } from '../../../src/cli/session/command-context.ts';

/** Context with a terminal of 30 columns and 5 rows, and the text on its screen. */
function terminal(env: Readonly<Record<string, string>> = {}) {
  let written = '';
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 30, rows: 5 });
  stderr.on('data', (piece: Buffer) => {
    written += piece.toString();
  });
  const io = { env, stdin: new PassThrough(), stdout: new PassThrough(), stderr };
  const cli = new CommandContext(io, new AbortController().signal, () =>
    Promise.reject(new Error('nobody connects')),
  );
  return { cli, written: () => written, screen: () => renderScreen(written) };
}

/** Applies text, carriage returns, cursor up and clear-to-end like a terminal. */
function renderScreen(text: string): readonly string[] {
  const lines = [''];
  let at = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what terminals are sent
  for (const [part] of text.matchAll(/\u001b\[\d*[AJ]|[\r\n]|[^\r\n\u001b]+/g)) {
    if (part === '\n') at += 1;
    else if (part === '\r') continue;
    else if (part.endsWith('A') && part.startsWith('\u001b')) at -= Number(part.slice(2, -1));
    else if (part === '\u001b[J') lines.splice(at, Number.POSITIVE_INFINITY, '');
    else lines[at] = (lines[at] ?? '') + part;
    lines[at] ??= '';
  }
  return lines;
}

describe('on a terminal', () => {
  it('a line changes in place and makes room at the end', () => {
    const { cli, screen } = terminal();
    const progress = new Progress(cli);
    progress.show('vms/a', 'powering_up', 'VM a was started by somebody');
    expect(screen()).toEqual(['vms/a: powering_up (VM a w...']);
    progress.show('vms/a', 'up');
    expect(screen()).toEqual(['vms/a: up']);
    progress.clear();
    progress.end(true);
    expect(screen()).toEqual(['']);
    progress.reportResult('vms/a', 'deleted');
    expect(screen()).toEqual(['vms/a: deleted', '']);
  });

  it('shows a line for each of several objects, and other output above them', () => {
    const { cli, screen } = terminal({ LANG: 'C.UTF-8' });
    const board = new ProgressBoard(cli);
    const [a, b, c] = [1, 2, 3].map(() => new Progress(cli, board)) as [
      Progress,
      Progress,
      Progress,
    ];
    a.show('vms/a', 'down');
    b.show('vms/b', 'down');
    c.show('vms/c', 'down');
    b.show('vms/b', 'up');
    expect(screen()).toEqual(['vms/a: down', 'vms/b: up', 'vms/c: down']);
    cli.note('a note');
    expect(screen()).toEqual(['a note', 'vms/a: down', 'vms/b: up', 'vms/c: down']);
    b.clear();
    b.end(true);
    expect(screen()).toEqual(['a note', 'vms/b: up', 'vms/a: down', 'vms/c: down']);
    a.end(false);
    c.reportResult('vms/c', 'deleted');
    c.end(true);
    expect(screen()).toEqual(['a note', 'vms/b: up', 'vms/c: deleted', '']);
  });

  it('shows no more lines than the terminal has', () => {
    const { cli, screen } = terminal();
    const board = new ProgressBoard(cli);
    for (let index = 1; index <= 9; index += 1) new Progress(cli, board).show(`vms/${index}`, 'up');
    expect(screen()).toEqual(['vms/6: up', 'vms/7: up', 'vms/8: up', 'vms/9: up']);
  });
});

it.each([{ ACCESSIBLE: '1' }, { TERM: 'dumb' }])('with %j each change is a line', (env) => {
  const { cli, written } = terminal(env);
  const board = new ProgressBoard(cli);
  const [a, b] = [new Progress(cli, board), new Progress(cli, board)];
  a.show('vms/a', 'down');
  b.show('vms/b', 'down');
  a.show('vms/a', 'up');
  a.end(true);
  b.reportResult('vms/b', 'deleted');
  expect(written()).toBe('vms/a: down\nvms/b: down\nvms/a: up\nvms/b: deleted\n');
});
