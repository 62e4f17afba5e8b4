/** Compilation of WebAssembly that runs long: with optimization, which commands start without. */
import { setFlagsFromString } from 'node:v8';

/**
 * Lets V8 optimize what WebAssembly is compiled from now on. Commands start with its quickest compiler alone
 * (`bin/compiled.js`), whose code is two to ten times slower.
 */
export function optimizeWebAssembly(): void {
  for (const flag of ['--wasm-tier-up', '--wasm-dynamic-tiering']) setFlagsFromString(flag);
}
