/** Faults name nothing that the caller does not see. */

import type { RuleContext, Sight } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import { nameable } from '../core/named-objects.ts';
import type { Slices } from '../store/slices.ts';
import type { Answer, Call } from './call.ts';
import { asSent, hiddenWords } from './hidden-references.ts';

/** What stands in for a name that is not told. */
const untold = '(not visible)';

/** Between the names in a sentence. */
const between = /([\s,;:()[\]"']+)/;

/** Performs a call; names of hidden objects in the sentence of a refusal are left out. */
export function* discreetly(
  ctx: RuleContext,
  call: Call,
  perform: (ctx: RuleContext, call: Call) => Slices<Answer>,
): Slices<Answer> {
  try {
    return asSent(ctx, yield* perform(ctx, call));
  } catch (error) {
    if (!(error instanceof Refusal) || !ctx.sight) throw error;
    if (!error.reword && hiddenWords(ctx).length === 0) throw error;
    const told = new Told(ctx, ctx.sight, call);
    const { status, reason, detail, reword, headers } = error;
    const said = reword ? reword((text) => told.text(text)) : detail;
    throw new Refusal(status, reason, asSent(ctx, said), { headers });
  }
}

/** What may be told of the words of a sentence. */
class Told {
  readonly #ctx: RuleContext;
  readonly #sight: Sight;
  /** What the client said itself is no news to it. */
  readonly #said: string;

  constructor(ctx: RuleContext, sight: Sight, { request, body }: Call) {
    this.#ctx = ctx;
    this.#sight = sight;
    const parameters = [...request.parameters.values(), ...hiddenWords(ctx)];
    this.#said = JSON.stringify([request.segments, parameters, body], (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
  }

  text(text: string): string {
    if (this.#isHidden(text)) return untold;
    return text
      .split(between)
      .map((word) => (this.#isHidden(word) ? untold : word))
      .join('');
  }

  /** Whether a word is the name or id of objects of which none is visible. */
  #isHidden(word: string): boolean {
    if (word.length < 2 || this.#said.includes(word)) return false;
    const { tx } = this.#ctx;
    const found = nameable.flatMap((kind) =>
      [...tx.ids(kind, { where: { name: word } }), ...tx.ids(kind, { where: { id: word } })].map(
        (id) => this.#sight.sees(kind, id),
      ),
    );
    return found.length > 0 && !found.includes(true);
  }
}
