/** What the parts of a verb share while it runs. */
import type { Client, QueryValue } from '../../client/client.ts';
import type { queryParameters } from '../../model/parameters.ts';
import type { Options } from '../args/command.ts';
import type { CommandContext } from '../session/command-context.ts';
import { type BodyInput, buildBody } from './body.ts';
import type { Verb } from './derive-verbs.ts';
import type { Finder, Ids } from './references.ts';
import type { ResolvedCollection } from './resolve-collection.ts';

export interface Run {
  readonly cli: CommandContext;
  readonly client: Client;
  readonly finder: Finder;
  readonly verb: Verb;
  readonly resolved: ResolvedCollection;
  readonly options: Options;
  /** Ids of everything above the objects of the verb. */
  readonly ids: Ids;
  readonly query: Readonly<Record<string, QueryValue | undefined>>;
  /** Words for the objects that the verb is about. */
  readonly words: readonly string[];
  /** Flags, `--set` and `-f`, not yet looked up. */
  readonly input: BodyInput;
}

/** The body of the run, with its references looked up. */
export function bodyOf(run: Run): Promise<Record<string, unknown>> {
  return buildBody(run.cli, run.finder, run.input);
}

/** Whether the operation of the run has a query parameter. */
export function hasQuery(run: Run, name: keyof typeof queryParameters): boolean {
  return run.resolved.candidate.operation.query.includes(name);
}
