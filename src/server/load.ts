/** Loads the server program, and the image daemon in a separate thread. */
import { prepareThread } from '../images/thread.ts';
import type { ExtendedOptions } from './admin/extension.ts';
import type { RunningServer } from './main.ts';

/** Resolves with the start function of the server: see `startServer` in `main.ts`. */
export async function loadServer(): Promise<(options: ExtendedOptions) => Promise<RunningServer>> {
  const images = prepareThread();
  const { startServer } = await import('./main.ts');
  return (options) => startServer(options, images);
}
