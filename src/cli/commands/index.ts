/**
 * Nouns, and verbs of nouns, that the model does not describe. Each lives in a file of its own.
 * What is large is loaded when it is named; for small files another file to open costs more than
 * it saves.
 */
import * as api from './api.ts';
import * as context from './context.ts';
import * as login from './login.ts';
import * as logout from './logout.ts';
import type { SpecialNouns } from './notation.ts';
import * as wait from './wait.ts';
import * as whoami from './whoami.ts';

export const specialNouns: SpecialNouns = {
  login: { load: () => login },
  logout: { load: () => logout },
  whoami: { load: () => whoami },
  context: { load: () => context },
  api: { load: () => api },
  wait: { load: () => wait },
  apply: { load: () => import('./apply.ts') },
  diff: { load: () => import('./diff.ts') },
  config: { load: () => import('./config.ts') },
  doctor: { load: () => import('./doctor.ts') },
  top: { load: () => import('./top.ts') },
  export: { load: () => import('./export.ts') },
  commands: { load: () => import('./commands.ts') },
  completion: { load: () => import('./completion.ts') },
  explain: { load: () => import('./explain.ts') },
  serve: { load: () => import('./serve.ts') },
  vms: {
    load: () => import('./vms.ts'),
    verbs: {
      console: 'Look at the screen of a virtual machine, or write the file for a viewer',
      snapshot: 'Keep the present state of a virtual machine as a snapshot',
    },
  },
  glusterbricks: {
    load: () => import('./glusterbricks.ts'),
    verbs: { decommission: 'Move the data off bricks, then remove them' },
  },
  events: {
    load: () => import('./events.ts'),
    verbs: { report: 'Write an event of your own into the audit log' },
  },
  images: {
    load: () => import('./images.ts'),
    verbs: {
      options: 'Show what the image daemon can do with the image of a ticket',
      info: 'Show the size of the image of a ticket, and what is in it',
      extents: 'List which parts of the image of a ticket hold data',
      checksum: 'Show the checksum of the image of a ticket',
      read: 'Read bytes of the image of a ticket',
      write: 'Write bytes into the image of a ticket',
      zero: 'Make a part of the image of a ticket read as zeros',
      flush: 'Bring what was written to the image of a ticket to stable storage',
      serve: 'Run the image daemon by itself, for images in files and behind NBD servers',
    },
  },
  disks: {
    load: () => import('./disks.ts'),
    verbs: {
      upload: 'Upload an image file into a disk',
      download: 'Download the image of a disk',
      verify: 'Compare a file with the image of a disk',
    },
  },
};
