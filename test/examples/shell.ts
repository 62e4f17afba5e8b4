/**
 * Folder in which examples run in a shell, with the built command, other programs of the examples
 * on the path, and the hosts that they name.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { builtVmctl } from '../support/in-process.ts';
import { password, projectRoot, type Ready, type TestServer, vmctl } from '../support/server.ts';
import type { NamedHosts } from './named-hosts.ts';
import { splitWords } from './site.ts';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Shell {
  /** Working directory and home of the commands. */
  readonly folder: string;
  /** Environment of a user who is not signed in. */
  readonly bare: Readonly<Record<string, string>>;
  /** The same for the administrator of the server. */
  readonly signedIn: Readonly<Record<string, string>>;
  /** Puts a file below the folder. */
  write(name: string, content: string | Buffer): void;
  read(name: string): string;
  /** Runs a script to its end. */
  run(script: string, more?: Environment, input?: string): Promise<Outcome>;
  /** Runs it, and throws unless it succeeds; returns what it printed. */
  must(script: string, more?: Environment): Promise<string>;
  /**
   * Runs a script without an end, repeats an action until the script prints something, then sends
   * Ctrl-C.
   */
  interrupt(
    script: string,
    meanwhile: () => Promise<unknown>,
    more?: Environment,
  ): Promise<Outcome>;
  /** Runs a script that starts a server; once that answers something is done, and it is stopped. */
  serve(script: string, use: (env: Environment) => Promise<void>): Promise<Outcome>;
}

/** First output of a standalone image daemon. */
interface Daemon {
  readonly url?: string;
  readonly pid: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A command that needs no shell. */
const plain = /^vmctl (?!serve)[^|<>$;&~]*$/;

/** The same, where its output goes to a file. */
const written = /^(vmctl (?!serve)[^|<>$;&~]*) > ([\w.-]+)$/;

/** Constructs that connect lines of a script: a shell has to run them together. */
const compound =
  /<<|['"][^'"\n]*\n|[&\\]$|^(?:\.|cd|set|eval|export|for|while|until|if|\w+=)(?:\b|\s)/m;

/** Parts of a script: single commands that need no shell, and the text between them. */
function splitScript(script: string): readonly string[] {
  const lines = script.split('\n');
  const isSimple = (line: string) => plain.test(line) || written.test(line);
  if (compound.test(script) && !lines.every(isSimple)) return [script];
  const parts: string[] = [];
  let last = true;
  for (const line of lines) {
    const simple = isSimple(line);
    if (simple || last) parts.push(line);
    else parts.push(`${parts.pop()}\n${line}`);
    last = simple;
  }
  return parts;
}

/** Programs that examples start beside vmctl. */
const programs: Readonly<Record<string, string>> = {
  // A server uses free ports and reports when it responds; options of the example have precedence.
  vmctl: `line=" $* "
default() { case "$line" in *" $1 "*) return 1;; esac; }
case "\${READY:+$1 \${2-}}" in
  'serve '*) shift
    default --listen && set -- --listen 127.0.0.1:0 "$@"
    default --images-listen && set -- --images-listen 127.0.0.1:0 "$@"
    default --ready-file && set -- --ready-file "$READY" "$@"
    set -- serve "$@";;
  'images serve') shift 2
    default --listen && set -- --listen 127.0.0.1:0 "$@"
    default --ready-file && set -- --ready-file "$READY" "$@"
    set -- images serve "$@";;
esac
exec '${process.execPath}' '${vmctl}' "$@"`,
  // Stand-ins for a password manager, a viewer and test programs.
  pass: 'cat "$HOME/password.txt"',
  'remote-viewer': 'cat "$1" > seen.vv',
  ssh: 'echo "ssh $*"',
  pytest: 'vmctl vms list -o name > tested.txt',
  xxd: 'od -A x -t x1z',
};

/** Prepares a folder for examples that use a server by its name. */
export function makeShell(server: TestServer, hosts: NamedHosts, at: string, web = 0): Shell {
  mkdirSync(at, { recursive: true });
  const folder = mkdtempSync(join(at, 'shell-'));
  const write = (name: string, content: string | Buffer) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode: 0o600 });
  };
  for (const [name, script] of Object.entries(programs)) {
    write(`bin/${name}`, `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
  write('password.txt', `${password}\n`);
  const port = Number(new URL(server.ready.base_url).port);
  const bare = {
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    HOME: folder,
    // All processes share compiled code.
    XDG_CACHE_HOME: join(at, 'cache'),
    FINGERPRINT: new X509Certificate(hosts.ca).fingerprint256,
    VMCTL_SERVE_PASSWORD: password,
    CERTIFICATE: hosts.certificateFile,
    KEY: hosts.keyFile,
    ...hosts.env({
      'engine.example.com': port,
      'lab.example.com': port,
      'images.example.com': web,
    }),
  };
  const signedIn = {
    ...bare,
    VMCTL_URL: server.ready.base_url,
    VMCTL_USERNAME: server.ready.username,
    VMCTL_PASSWORD: password,
    VMCTL_CA_FILE: hosts.caFile,
  };

  const start = (script: string, more: Environment = {}) =>
    spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
      cwd: folder,
      // Separate process group, which receives Ctrl-C.
      detached: true,
      env: { ...signedIn, ...more },
    });
  const run: Shell['run'] = (script, more, input = '') => {
    const child = start(script, more);
    // Some examples do not read their input.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    return ended(child);
  };

  /** Runs a command in this process, which is faster, for the preparation of the example. */
  const here: Shell['run'] = async (line, more = {}) => {
    const env = Object.entries({ ...signedIn, ...more });
    // This process does not have the trust settings of new processes.
    if (more['VMCTL_CA_FILE'] === undefined) env.push(['VMCTL_CA_FILE', hosts.caFile]);
    const given = env.filter((entry): entry is [string, string] => entry[1] !== undefined);
    process.chdir(folder);
    hosts.findHere(signedIn);
    try {
      return await builtVmctl(splitWords(line).slice(1), { env: Object.fromEntries(given) });
    } finally {
      process.chdir(projectRoot);
    }
  };

  return {
    folder,
    bare,
    signedIn,
    write,
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    run,
    must: async (script, more) => {
      let printed = '';
      for (const part of splitScript(script)) {
        const [, line = part, file] = written.exec(part) ?? [];
        const { code, stdout, stderr } = await (plain.test(line) ? here : run)(line, more);
        if (code !== 0) throw new Error(`${part}: ${code}\n${stderr}`);
        if (file === undefined) printed += stdout;
        else write(file, stdout);
      }
      return printed;
    },
    interrupt: async (script, meanwhile, more) => {
      const child = start(script, more);
      const end = ended(child);
      let hasPrinted = false;
      child.stdout.once('data', () => {
        hasPrinted = true;
      });
      while (!hasPrinted && child.exitCode === null) await meanwhile();
      process.kill(-Number(child.pid), 'SIGINT');
      return await end;
    },
    serve: async (script, use) => {
      const places = ['ready.json', 'ready-elsewhere.json'].map((name) => join(folder, name));
      for (const place of places) rmSync(place, { force: true });
      // Background processes must end first.
      const child = start(/&\s*(#.*)?$/.test(script) ? `${script}\nwait $!` : script, {
        READY: places[1],
      });
      const end = ended(child);
      let file: string | undefined;
      while (file === undefined) {
        file = places.find((path) => existsSync(path));
        if (child.exitCode !== null && file === undefined) return await end;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const ready = JSON.parse(readFileSync(file, 'utf8')) as Partial<Ready> & Daemon;
      try {
        await use({
          ...signedIn,
          VMCTL_URL: ready.base_url,
          VMCTL_CA_FILE: ready.ca_file ?? hosts.caFile,
          PORT: new URL(ready.base_url ?? ready.url ?? 'https://nowhere').port,
          READY: undefined,
        });
      } finally {
        process.kill(ready.pid, 'SIGTERM');
      }
      return await end;
    },
  };
}

function ended(child: ChildProcess): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (piece: Buffer) => {
      stdout += piece.toString();
    });
    child.stderr?.on('data', (piece: Buffer) => {
      stderr += piece.toString();
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
