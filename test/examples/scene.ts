/** Scenes of examples: preparation and checks. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Environment, Outcome, Shell } from './shell.ts';

/** Context of a check. */
export interface Told extends Outcome {
  readonly shell: Shell;
  /** Environment of the example. */
  readonly env: Environment;
  /** Runs another script there, which must succeed; returns what it prints. */
  readonly look: (script: string) => Promise<string>;
}

export interface Scene {
  /** A script to run before. */
  readonly before?: string;
  readonly env?: Environment;
  readonly input?: string;
  /** Working directory, if it is not the folder of the example. */
  readonly folder?: string;
  /** Server that runs at the same time; the preparation runs after it responds. */
  readonly serving?: string;
  /** A program that may be missing; the example is not run then. */
  readonly needs?: string;
  /**
   * Action during a command without an end: repeated until it prints something; Ctrl-C ends the
   * command.
   */
  readonly meanwhile?: string;
  /** Lines for the same shell during a command without an end. */
  readonly behind?: string;
  /** Keys for a command that needs a terminal, repeated until it ends. */
  readonly typed?: string;
  /** Lines for the same shell after the example. */
  readonly rest?: string;
  /** Check after the example; for a server, while it runs. */
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

/** Environment without credentials. */
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

/** Trust in the self-signed certificate of an image daemon. */
export const ownAuthority = '~/.local/state/vmctl/images-serve/ca.pem';
