/** How events are declared: the number of the audit log, the severity and the sentence, by name. */
export type EventTexts = Readonly<
  Record<string, { code: number; severity: 'normal' | 'warning' | 'error' | 'alert'; text: string }>
>;
