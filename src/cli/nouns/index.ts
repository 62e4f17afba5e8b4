/**
 * Nouns, and verbs of nouns, that the model does not describe. Each lives in a file of its own.
 * What is large is loaded when it is named; for small files another file to open costs more than
 * it saves.
 */
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import * as api from './api.ts';
import * as context from './context.ts';
import * as login from './login.ts';
import * as logout from './logout.ts';
import * as wait from './wait.ts';
import * as whoami from './whoami.ts';

export interface NounModule {
  /** Adds options, an action or verbs to the command of the noun, which is mounted already. */
  readonly register: (command: Command, cli: Cli) => void | Promise<void>;
}

export interface SpecialNoun {
  readonly load: () => NounModule | Promise<NounModule>;
  /**
   * Set where the noun is also a collection of the API: what is added to its generic verbs, with
   * the line that help shows. The module is loaded for these verbs only.
   */
  readonly verbs?: Readonly<Record<string, string>>;
}

export const specialNouns: Readonly<Record<string, SpecialNoun>> = {
  login: { load: () => login },
  logout: { load: () => logout },
  whoami: { load: () => whoami },
  context: { load: () => context },
  api: { load: () => api },
  wait: { load: () => wait },
  serve: { load: () => import('./serve.ts') },
  disks: {
    load: () => import('./disks.ts'),
    verbs: {
      upload: 'Upload an image file into a disk',
      download: 'Download the image of a disk',
    },
  },
};
