/** Opens the HTTP core, whose library a command that sends nothing does without. */
import type { Http, HttpOptions } from './http.ts';

/** The connections for a trust; loads the library now. */
export async function openHttp(options: HttpOptions): Promise<Http> {
  await lightenWebAssembly();
  const { Http } = await import('./http.ts');
  return new Http(options);
}

/**
 * Before Node 22 V8 optimizes the HTTP parser, which is WebAssembly, at a cost that a short
 * command never earns back. Has to be said before the parser is loaded.
 */
async function lightenWebAssembly(): Promise<void> {
  if (Number.parseInt(process.versions.node, 10) >= 22) return;
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--liftoff-only');
}
