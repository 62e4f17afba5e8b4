// Mutation checker that limits the run to a sample. MUTATION_SAMPLE names a file with the keys of
// the sampled mutants; others do not count.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** Key of a mutant: file, position and replacement. */
export function mutantKey({ fileName, location: { start, end }, replacement }, root) {
  return [
    relative(root, fileName),
    start.line,
    start.column,
    end.line,
    end.column,
    replacement,
  ].join(' ');
}

class SampleChecker {
  #keys = new Set(JSON.parse(readFileSync(process.env.MUTATION_SAMPLE, 'utf8')));

  async init() {}

  async check(mutants) {
    const result = (mutant) =>
      this.#keys.has(mutantKey(mutant, process.env.MUTATION_ROOT))
        ? { status: 'passed' }
        : { status: 'compileError', reason: 'not in the sample' };
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, result(mutant)]));
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, 'sample', SampleChecker)];
