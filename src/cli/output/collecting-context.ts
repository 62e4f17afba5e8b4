/** Context of a command that runs in several contexts: it collects its output. */
import { CommandContext } from '../session/command-context.ts';
import type { Output } from '../session/io.ts';
import type { Item, ViewMetadata } from './view.ts';

/** Objects of one output. */
export interface CollectedView {
  readonly frame: ViewMetadata;
  readonly items: readonly Item[];
}

export class CollectingContext extends CommandContext {
  override readonly origin: string;
  readonly views: CollectedView[] = [];

  /**
   * @param parent context of the whole command: streams, flags, hooks
   * @param name of the context that the command uses
   * @param stdout replaces standard output, for text that is no table
   * @param open creates the client for this context
   */
  constructor(
    parent: CommandContext,
    name: string,
    stdout: Output,
    open: ConstructorParameters<typeof CommandContext>[2],
  ) {
    const { env, stdin, stderr } = parent.io;
    super({ env, stdin, stdout, stderr }, parent.signal, open, parent.hooks);
    this.origin = name;
    // Concurrent questions, for example about passwords, would mix.
    this.useFlags({ ...parent.flags, context: name, noInput: true });
    this.commandLine = parent.commandLine;
  }
}
