/** Optimized compilation of long-running WebAssembly. */
import { setFlagsFromString } from 'node:v8';

/**
 * Enables optimization for WebAssembly that is compiled from now on. Commands start with the
 * baseline compiler only (`bin/compiled.js`), whose code is two to ten times slower.
 */
export function optimizeWebAssembly(): void {
  for (const flag of ['--wasm-tier-up', '--wasm-dynamic-tiering']) setFlagsFromString(flag);
}
