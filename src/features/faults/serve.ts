/** Fault rules of `vmctl serve`: flags, interceptor and endpoints. */
import { getErrorMessage } from '../../caught-errors.ts';
import type { ServeHandlers } from '../../cli/commands/serve/extension.ts';
import { UsageError } from '../../client/errors.ts';
import { Created, type CreateServerExtension } from '../../server/admin/extension.ts';
import { jsonObject } from '../../server/api/request.ts';
import { Refusal } from '../../server/core/fault.ts';
import { StoreError } from '../../server/store/store.ts';
import { parseDelay } from './delay.ts';
import { FaultRules, parseFault } from './fault-rules.ts';
import { createRules } from './stored-faults.ts';

interface FaultFlags {
  /** Rules in the short form, or as objects. */
  readonly fault?: readonly (string | Members)[];
  readonly delay?: string;
}

type Members = Readonly<Record<string, unknown>>;

export const handlers: ServeHandlers<FaultFlags> = {
  extend: (flags) => faultExtension(readRules(flags)),
};

/** Rules from the flags. Throws `UsageError`. */
function readRules({ fault = [], delay }: FaultFlags): readonly Members[] {
  const latency = delay === undefined ? [] : [parseDelay(delay)];
  const check = new FaultRules(Math.random);
  const rules = fault.map((rule) => {
    try {
      const members = typeof rule === 'string' ? parseFault(rule) : { ...rule };
      check.add(members);
      return members;
    } catch (error) {
      const text = typeof rule === 'string' ? rule : JSON.stringify(rule);
      throw new UsageError(`--fault ${text}: ${getErrorMessage(error)}`);
    }
  });
  return [...latency, ...rules];
}

function faultExtension(own: readonly Members[]): CreateServerExtension {
  return async ({ store, random, isFirst }) => {
    const rules = store
      ? await createRules(store, random, own, isFirst)
      : addRules(own, new FaultRules(random));
    return {
      interceptor: rules,
      reset: () => rules.remove(),
      endpoints: {
        faults: {
          GET: async (_request, id) =>
            id === ''
              ? { faults: rules.all }
              : (rules.all.find((rule) => rule.id === id) ?? throwNotFound()),
          POST: async (request) => {
            try {
              return new Created(await rules.share(jsonObject(await request.body(), 'rule')));
            } catch (error) {
              if (error instanceof StoreError || error instanceof Refusal) throw error;
              throw new Refusal(400, 'Bad rule', getErrorMessage(error));
            }
          },
          DELETE: async (_request, id) =>
            (await rules.remove(id === '' ? undefined : id)) ? { status: 'ok' } : throwNotFound(),
        },
      },
    };
  };
}

function addRules(own: readonly Members[], rules: FaultRules): FaultRules {
  for (const rule of own) rules.add(rule);
  return rules;
}

function throwNotFound(): never {
  throw new Refusal(404, 'Not Found', 'Rule not found.');
}
