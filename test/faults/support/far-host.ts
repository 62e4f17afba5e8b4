/** Another host: a network namespace with a line of its own to this machine. Needs root and iproute2. */
import { execFileSync, spawnSync } from 'node:child_process';

function run(...words: string[]): string {
  const [program = '', ...rest] = words;
  return execFileSync(program, rest, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Why there can be no other host here; `undefined` when there can. */
export function cannotReachFar(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return ' (needs root on Linux)';
  const name = `vmctl-try-${process.pid}`;
  if (spawnSync('ip', ['netns', 'add', name]).status !== 0) return ' (needs network namespaces)';
  spawnSync('ip', ['netns', 'delete', name]);
  const rule = ['-C', 'INPUT', '-m', 'statistic', '--mode', 'nth', '--every', '7'];
  const { status } = spawnSync('iptables', [...rule, '--packet', '0', '-j', 'DROP']);
  // 1: the rule is not there, as it should be; anything else: it could not even be looked for.
  return status === 1 ? undefined : ' (needs iptables)';
}

export class FarHost {
  readonly #name = `vmctl-${process.pid}`;
  readonly #line = `vf${process.pid % 100_000}`;
  readonly #network = `10.${200 + (process.pid % 50)}.${process.pid % 250}`;

  constructor() {
    const far = `${this.#line}f`;
    run('ip', 'netns', 'add', this.#name);
    run('ip', 'link', 'add', this.#line, 'type', 'veth', 'peer', 'name', far);
    run('ip', 'link', 'set', far, 'netns', this.#name);
    run('ip', 'address', 'add', `${this.here}/24`, 'dev', this.#line);
    run('ip', 'link', 'set', this.#line, 'up');
    run(...this.inside('ip', 'address', 'add', `${this.#network}.2/24`, 'dev', far));
    run(...this.inside('ip', 'link', 'set', far, 'up'));
    run(...this.inside('ip', 'link', 'set', 'lo', 'up'));
  }

  /** The address of this machine, as the other one sees it. */
  get here(): string {
    return `${this.#network}.1`;
  }

  /** The words that run a command on the other host. */
  inside(...words: string[]): string[] {
    return ['ip', 'netns', 'exec', this.#name, ...words];
  }

  /** Takes the line down, or up again. */
  setLine(state: 'down' | 'up'): void {
    run('ip', 'link', 'set', this.#line, state);
  }

  /** Lets so many megabits pass in a second from there to here. */
  narrow(megabits: number): void {
    const rule = ['rate', `${megabits}mbit`, 'burst', '256kb', 'latency', '100ms'];
    run(...this.inside('tc', 'qdisc', 'add', 'dev', `${this.#line}f`, 'root', 'tbf', ...rule));
  }

  /** Drops every n-th packet that comes here, until it is told to stop. */
  losing(every: number): () => void {
    const rule = ['INPUT', '-i', this.#line, '-m', 'statistic', '--mode', 'nth'];
    const whole = [...rule, '--every', String(every), '--packet', '0', '-j', 'DROP'];
    run('iptables', '-A', ...whole);
    return () => void run('iptables', '-D', ...whole);
  }

  /** Packets that were dropped on the way here. */
  dropped(): number {
    const text = run('iptables', '-nvx', '-L', 'INPUT');
    const line = text.split('\n').find((one) => one.includes(this.#line));
    return Number(line?.trim().split(/\s+/)[0] ?? 0);
  }

  remove(): void {
    spawnSync('ip', ['link', 'delete', this.#line]);
    spawnSync('ip', ['netns', 'delete', this.#name]);
  }
}
