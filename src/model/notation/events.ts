/** Notation of events: number in the audit log, severity and sentence, by name. */
export type EventTexts = Readonly<
  Record<string, { code: number; severity: 'normal' | 'warning' | 'error' | 'alert'; text: string }>
>;
