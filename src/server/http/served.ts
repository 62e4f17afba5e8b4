/** What the model declares and no rule makes up yet: answered with 501. */
export const unservedTypes: ReadonlySet<string> = new Set(['system_option']);
