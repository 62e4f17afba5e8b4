/** Values of enums by name. A separate module, because `enums.ts` becomes JSON in the build. */
import { enums } from './enums.ts';

const enumsByName: Readonly<Record<string, readonly string[]>> = enums;

/** Values of an enum. Throws for an unknown enum, which is a programming error. */
export function listEnumValues(name: string): readonly string[] {
  const values = enumsByName[name];
  if (!values) throw new Error(`The model has no enum ${name}.`);
  return values;
}
