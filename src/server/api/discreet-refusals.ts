/** Refusals without names of hidden objects. */
import type { RuleContext, VisibilityFilter } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import { nameable } from '../store/visible-kinds.ts';
import type { ApiCall } from './call.ts';
import { asSent, hiddenWords } from './hidden-references.ts';

/** Replacement of the name of a hidden object. */
const placeholder = '(not visible)';

/** Separators of names in a text. */
const between = /([\s,;:()[\]"']+)/;

/** The error of a request. A refusal contains no name of a hidden object. */
export function discreet(ctx: RuleContext, call: ApiCall, error: unknown): unknown {
  if (!(error instanceof Refusal) || !ctx.filter) return error;
  if (!error.reword && hiddenWords(ctx).length === 0) return error;
  const redactor = new TextRedactor(ctx, ctx.filter, call);
  const { status, reason, detail, reword, headers } = error;
  const visible = reword ? reword((text) => redactor.redact(text)) : detail;
  return new Refusal(status, reason, asSent(ctx, visible), { headers });
}

/** Replaces names of hidden objects in texts. */
class TextRedactor {
  readonly #ctx: RuleContext;
  readonly #filter: VisibilityFilter;
  /** Texts of the request, which the caller knows. */
  readonly #sentText: string;

  constructor(ctx: RuleContext, filter: VisibilityFilter, { request, body }: ApiCall) {
    this.#ctx = ctx;
    this.#filter = filter;
    const parameters = [...request.parameters.values(), ...hiddenWords(ctx)];
    this.#sentText = JSON.stringify([request.segments, parameters, body], (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
  }

  redact(text: string): string {
    if (this.#isHidden(text)) return placeholder;
    return text
      .split(between)
      .map((word) => (this.#isHidden(word) ? placeholder : word))
      .join('');
  }

  /** Whether a word is the name or id of hidden objects only. */
  #isHidden(word: string): boolean {
    if (word.length < 2 || this.#sentText.includes(word)) return false;
    const { tx } = this.#ctx;
    const found = nameable.flatMap((kind) =>
      [...tx.ids(kind, { where: { name: word } }), ...tx.ids(kind, { where: { id: word } })].map(
        (id) => this.#filter.sees(kind, id),
      ),
    );
    return found.length > 0 && !found.includes(true);
  }
}
