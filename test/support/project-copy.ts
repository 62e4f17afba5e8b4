/** Copies of the project for tests that modify its sources. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from './server.ts';

/** Files created by installation, build and tests. */
const generated = new Set(['.git', 'node_modules', 'dist', 'build', 'coverage']);

export class ProjectCopy {
  readonly root = mkdtempSync(join(tmpdir(), 'vmctl-copy-'));
  readonly program = join(this.root, 'bin/vmctl.js');

  /** Copies the sources and links the installed packages. */
  constructor() {
    for (const name of readdirSync(projectRoot)) {
      if (generated.has(name)) continue;
      cpSync(join(projectRoot, name), join(this.root, name), { recursive: true });
    }
    symlinkSync(join(projectRoot, 'node_modules'), join(this.root, 'node_modules'));
  }

  /** Runs a program in the copy and returns its output. Throws if it fails. */
  run(command: string, ...args: readonly string[]): string {
    return execFileSync(command, args, {
      cwd: this.root,
      encoding: 'utf8',
      env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
    });
  }

  build(): void {
    this.run(process.execPath, 'scripts/build.js');
  }

  /** Runs the vmctl of the copy. */
  vmctl(...args: readonly string[]): string {
    return this.run(process.execPath, this.program, ...args);
  }

  /**
   * Compiler errors. A single thread, because several would repeat work. Further checks of the same
   * project only check what has changed.
   */
  typeErrors(project = '.'): readonly string[] {
    const state = join(this.root, 'build', `${project}.tsbuildinfo`);
    const { status, stdout, stderr } = spawnSync(
      'node_modules/.bin/tsc',
      [
        ...['--noEmit', '--singleThreaded', '-p', project],
        ...['--incremental', '--tsBuildInfoFile', state],
      ],
      { cwd: this.root, encoding: 'utf8' },
    );
    const errors = stdout.split('\n').filter((line) => /^\S+\.tsx?\(/.test(line));
    if (status !== 0 && errors.length === 0) throw new Error(`tsc: ${status}\n${stdout}${stderr}`);
    return errors;
  }

  /** Runs tests of the copy. Returns their output and exit code. */
  test(
    project: string,
    files: readonly string[],
    options: readonly string[] = [],
  ): { readonly status: number | null; readonly output: string } {
    // Variables of this run: its worker, and its part of the tests.
    const env = Object.entries(process.env).filter(([name]) => !/^(VITEST|VMCTL_)/.test(name));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        'node_modules/vitest/vitest.mjs',
        ...['run', '--no-color', '--testTimeout', '300000', '--project', project],
        ...[...files, ...options],
      ],
      { cwd: this.root, encoding: 'utf8', env: Object.fromEntries(env) },
    );
    return { status, output: `${stdout}${stderr}` };
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
