/** Values for examples of commands, by noun and verb. */
import type { NounSamples, VerbSample } from '../notation/commands.ts';
import { allNouns } from '../resources/index.ts';

/** By noun. */
export const nounSamples: Readonly<Record<string, NounSamples>> = Object.fromEntries(
  allNouns.flatMap(({ noun, samples }) => (samples ? [[noun, samples]] : [])),
);

/** By noun and verb: `vms clone`. */
export const verbSamples: Readonly<Record<string, VerbSample>> = Object.fromEntries(
  allNouns.flatMap(({ noun, verbs = {} }) =>
    Object.entries(verbs).flatMap(([verb, { sample }]) =>
      sample ? [[`${noun} ${verb}`, sample]] : [],
    ),
  ),
);
