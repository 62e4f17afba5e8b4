/** Descriptions of jobs, by type and operation. */
import { allResources } from '../resources/index.ts';

/** Operations without an entry open no job. `{name}` is the object, `{owner}` its owner. */
export const jobDescriptions: Readonly<Record<string, Readonly<Record<string, string>>>> =
  Object.fromEntries(
    allResources.map(({ name, operations }) => [
      name,
      Object.fromEntries(
        Object.entries(operations ?? {}).flatMap(([operation, { job }]) =>
          job === undefined ? [] : [[operation, job]],
        ),
      ),
    ]),
  );

/** Steps of every job, in order. */
export const jobSteps = ['validating', 'executing', 'finalizing'] as const;
