/** Loads the program of the server, and that of its image daemon in a thread beside it. */
import { prepareThread } from '../images/thread.ts';
import type { ExtendedOptions } from './admin/extension.ts';
import type { RunningServer } from './main.ts';

/** Resolves with what starts a server: see `startServer` in `main.ts`. */
export async function loadServer(): Promise<(options: ExtendedOptions) => Promise<RunningServer>> {
  const images = prepareThread();
  const { startServer } = await import('./main.ts');
  return (options) => startServer(options, images);
}
