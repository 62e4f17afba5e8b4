/** A terminal of its own, with somebody who types and looks: a pane of tmux. */
import { spawnSync } from 'node:child_process';

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

export interface Pane {
  /** Types text; `Enter`, `C-c` and the like are keys when they are given alone. */
  readonly type: (...keys: string[]) => void;
  /** What is on the screen now. */
  readonly screen: () => string;
  /** The screen, once it shows this. */
  readonly until: (pattern: RegExp) => Promise<string>;
  readonly resize: (columns: number, rows: number) => void;
  readonly close: () => void;
}

/** Long enough for every machine; a test that fails says what was on the screen. */
const patience = 40_000;

let count = 0;

/** Opens a shell in a terminal, of 100 columns and 30 rows where nothing else is said. */
export function openPane(env: NodeJS.ProcessEnv, columns = 100, rows = 30): Pane {
  count += 1;
  const socket = `vmctl-test-${process.pid}-${count}`;
  const tmux = (...args: string[]) => {
    const { stdout, stderr, status } = spawnSync('tmux', ['-L', socket, ...args], {
      encoding: 'utf8',
      env: { ...env, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
    });
    if (status !== 0) throw new Error(`tmux ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const size = ['-x', String(columns), '-y', String(rows)];
  tmux('-f', '/dev/null', 'new-session', '-d', ...size, 'PS1="$ " sh -i');
  const screen = () => tmux('capture-pane', '-p');
  return {
    type: (...keys) => {
      for (const key of keys) tmux('send-keys', key);
    },
    screen,
    until: async (pattern) => {
      const end = Date.now() + patience;
      for (;;) {
        const text = screen();
        if (pattern.test(text)) return text;
        if (Date.now() > end) throw new Error(`There is no ${String(pattern)} in:\n${text}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    resize: (columns, rows) =>
      void tmux('resize-window', '-x', String(columns), '-y', String(rows)),
    close: () => void spawnSync('tmux', ['-L', socket, 'kill-server']),
  };
}
