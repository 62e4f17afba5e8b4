/** Simulated remote host: a network namespace with a separate link. Needs root and iproute2. */
import { execFileSync, spawnSync } from 'node:child_process';

function run(...words: string[]): string {
  const [program = '', ...rest] = words;
  return execFileSync(program, rest, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Reason why no remote host can be simulated; `undefined` if possible. */
export function cannotReachFar(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return ' (needs root on Linux)';
  const name = `vmctl-try-${process.pid}`;
  if (spawnSync('ip', ['netns', 'add', name]).status !== 0) return ' (needs network namespaces)';
  spawnSync('ip', ['netns', 'delete', name]);
  const rule = ['-C', 'INPUT', '-m', 'statistic', '--mode', 'nth', '--every', '7'];
  const { status } = spawnSync('iptables', [...rule, '--packet', '0', '-j', 'DROP']);
  // Status 1: the rule is absent, as expected. Other values: iptables failed.
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

  /** Address of this computer on the link. */
  get here(): string {
    return `${this.#network}.1`;
  }

  /** Command line that runs `words` on the remote host. */
  inside(...words: string[]): string[] {
    return ['ip', 'netns', 'exec', this.#name, ...words];
  }

  /** Takes the link down or up. */
  setLine(state: 'down' | 'up'): void {
    run('ip', 'link', 'set', this.#line, state);
  }

  /** Limits the bandwidth from the remote host, in megabits per second. */
  narrow(megabits: number): void {
    const rule = ['rate', `${megabits}mbit`, 'burst', '256kb', 'latency', '100ms'];
    run(...this.inside('tc', 'qdisc', 'add', 'dev', `${this.#line}f`, 'root', 'tbf', ...rule));
  }

  /** Drops every n-th packet to this computer; the returned function stops that. */
  losing(every: number): () => void {
    const rule = ['INPUT', '-i', this.#line, '-m', 'statistic', '--mode', 'nth'];
    const whole = [...rule, '--every', String(every), '--packet', '0', '-j', 'DROP'];
    run('iptables', '-A', ...whole);
    return () => void run('iptables', '-D', ...whole);
  }

  /** Number of dropped packets to this computer. */
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
