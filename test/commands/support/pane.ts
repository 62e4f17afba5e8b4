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

let count = 0;

/** Opens a shell in a terminal of 100 columns and 30 rows. */
export function openPane(env: NodeJS.ProcessEnv): Pane {
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
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', '100', '-y', '30', 'PS1="$ " sh -i');
  const screen = () => tmux('capture-pane', '-p');
  return {
    type: (...keys) => {
      for (const key of keys) tmux('send-keys', key);
    },
    screen,
    until: async (pattern) => {
      for (;;) {
        const text = screen();
        if (pattern.test(text)) return text;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    resize: (columns, rows) =>
      void tmux('resize-window', '-x', String(columns), '-y', String(rows)),
    close: () => void spawnSync('tmux', ['-L', socket, 'kill-server']),
  };
}
