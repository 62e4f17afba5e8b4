/** Fault rules in `vmctl serve`. */
import type { ServeHandlers } from '../../cli/commands/serve/extension.ts';
import { UsageError } from '../../client/errors.ts';
import { Created, type CreateServerExtension } from '../../server/admin/extension.ts';
import { jsonObject } from '../../server/api/request.ts';
import { Refusal } from '../../server/core/fault.ts';
import { StoreError } from '../../server/store/store.ts';
import { latencyRule } from './delay.ts';
import { FaultRules, parseFault } from './fault-rules.ts';
import { beginRules } from './stored-faults.ts';

interface FaultFlags {
  /** Rules in their short form, or as objects. */
  readonly fault?: readonly unknown[];
  readonly delay?: string;
}

type Members = Readonly<Record<string, unknown>>;

export const handlers: ServeHandlers<FaultFlags> = {
  extend: (flags) => faultExtension(rulesOf(flags)),
};

/** The rules that flags contain. Throws usage errors. */
function rulesOf({ fault = [], delay }: FaultFlags): readonly Members[] {
  const latency = delay === undefined ? [] : [latencyRule(delay)];
  const check = new FaultRules(Math.random);
  const rules = fault.map((rule) => {
    try {
      const members = typeof rule === 'string' ? parseFault(rule) : { ...(rule as Members) };
      check.add(members);
      return members;
    } catch (error) {
      const text = typeof rule === 'string' ? rule : JSON.stringify(rule);
      throw new UsageError(`--fault ${text}: ${reasonOf(error)}`);
    }
  });
  return [...latency, ...rules];
}

function faultExtension(own: readonly Members[]): CreateServerExtension {
  return async ({ store, random, isFirst }) => {
    const rules = store
      ? await beginRules(store, random, own, isFirst)
      : ownRules(own, new FaultRules(random));
    return {
      interceptor: rules,
      reset: () => rules.remove(),
      endpoints: {
        faults: {
          GET: async (_request, id) =>
            id === ''
              ? { faults: rules.all }
              : (rules.all.find((rule) => rule.id === id) ?? missing()),
          POST: async (request) => {
            try {
              return new Created(await rules.share(jsonObject(await request.body(), 'rule')));
            } catch (error) {
              if (error instanceof StoreError || error instanceof Refusal) throw error;
              throw new Refusal(400, 'Bad rule', reasonOf(error));
            }
          },
          DELETE: async (_request, id) =>
            (await rules.remove(id === '' ? undefined : id)) ? { status: 'ok' } : missing(),
        },
      },
    };
  };
}

function ownRules(own: readonly Members[], rules: FaultRules): FaultRules {
  for (const rule of own) rules.add(rule);
  return rules;
}

function missing(): never {
  throw new Refusal(404, 'Not Found', 'Rule not found.');
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
