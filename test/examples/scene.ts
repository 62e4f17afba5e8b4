/** How it is written down what an example needs before, and what must be so afterwards. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Environment, Outcome, Shell } from './shell.ts';

/** What a look at the result may use. */
export interface Told extends Outcome {
  readonly shell: Shell;
  /** What was in the environment of the example. */
  readonly env: Environment;
  /** Runs another script there, which must succeed; returns what it prints. */
  readonly look: (script: string) => Promise<string>;
}

export interface Scene {
  /** A script to run before. */
  readonly before?: string;
  readonly env?: Environment;
  readonly input?: string;
  /** Where it runs, if that is not the folder of its own. */
  readonly folder?: string;
  /** A server that runs meanwhile; what is to be done before is done once it answers. */
  readonly serving?: string;
  /** A program that may be missing; the example is not run then. */
  readonly needs?: string;
  /** It does not end by itself: what somebody does until it prints something, and Ctrl-C is hit. */
  readonly meanwhile?: string;
  /** It does not end by itself either: what is typed into the same shell while it runs. */
  readonly behind?: string;
  /** It needs a terminal: what somebody types there, again and again until it ends. */
  readonly typed?: string;
  /** What is typed into the same shell behind it. */
  readonly rest?: string;
  /** What must be so afterwards; for a server: while it runs. */
  readonly after: (told: Told) => Promise<void> | void;
}

export const prints =
  (...patterns: readonly RegExp[]) =>
  ({ stdout }: Told) => {
    for (const pattern of patterns) expect(stdout).toMatch(pattern);
  };
export const notes =
  (pattern: RegExp) =>
  ({ stderr }: Told) =>
    expect(stderr).toMatch(pattern);
/** Something else shows it. */
export const shows =
  (script: string, pattern: RegExp) =>
  async ({ look }: Told) =>
    expect(await look(script)).toMatch(pattern);
export const holds =
  (file: string, pattern: RegExp) =>
  ({ shell }: Told) =>
    expect(shell.read(file)).toMatch(pattern);
export const size =
  (file: string, bytes: number) =>
  ({ shell }: Told) =>
    expect(statSync(join(shell.folder, file)).size).toBe(bytes);

/** In the environment of somebody who is not signed in by it. */
export const stranger: Environment = {
  VMCTL_URL: undefined,
  VMCTL_USERNAME: undefined,
  VMCTL_PASSWORD: undefined,
  VMCTL_CA_FILE: undefined,
};

/** A ticket for an image of a megabyte in the folder of the example. */
export const imageTicket = (file: string) => `truncate -s 1M disk.raw
echo '{"uuid": "t", "size": 1048576, "ops": ["read", "write"], "timeout": 60,
 "url": "file://'"$PWD"'/disk.raw"}' > ${file}`;

/** Whom to trust when an image daemon made its own certificate. */
export const ownAuthority = '~/.local/state/vmctl/images-serve/ca.pem';
