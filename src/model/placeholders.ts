/** Names of the placeholders in texts of events and faults. */
import type { SharedEventText } from './events.ts';
import type { SharedFaultText } from './faults.ts';
import type { Declarations, TypeName } from './resources/index.ts';

type TextsIn<D> = D extends { readonly events: infer E } ? TextOf<E[keyof E]> : never;
type FaultTextsIn<D> = D extends { readonly faults: infer F } ? TextOf<F[keyof F]> : never;
type TextOf<E> = E extends { readonly text: infer T } ? T : never;

type DeclaredText = TextsIn<Declarations[TypeName]> | FaultTextsIn<Declarations[TypeName]>;

/** Names in braces: `VmName` and `HostName` in `VM {VmName} runs on host {HostName}.` */
type PlaceholdersIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholdersIn<Rest>
  : never;

/** A placeholder of an event or a fault. A misspelt name is a type error. */
export type Placeholder = PlaceholdersIn<SharedEventText | SharedFaultText | DeclaredText>;
