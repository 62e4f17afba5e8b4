/** Notation of events by name: number in the audit log, severity and text. */
export type EventTexts = Readonly<
  Record<string, { code: number; severity: 'normal' | 'warning' | 'error' | 'alert'; text: string }>
>;
