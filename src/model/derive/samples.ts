/** Words for the examples of commands, by noun and verb. */
import type { NounDeclaration, NounSamples, VerbSample } from '../notation/commands.ts';
import { allResources } from '../resources/index.ts';

const declared: readonly NounDeclaration[] = allResources.flatMap(({ commands }) =>
  commands ? [commands, ...(commands.otherNouns ?? [])] : [],
);

/** By noun. */
export const nounSamples: Readonly<Record<string, NounSamples>> = Object.fromEntries(
  declared.flatMap(({ noun, samples }) => (samples ? [[noun, samples]] : [])),
);

/** By noun and verb: `vms clone`. */
export const verbSamples: Readonly<Record<string, VerbSample>> = Object.fromEntries(
  declared.flatMap(({ noun, verbs = {} }) =>
    Object.entries(verbs).flatMap(([verb, { sample }]) =>
      sample ? [[`${noun} ${verb}`, sample]] : [],
    ),
  ),
);
