/** How events are declared, by code. */
export type EventTexts = Readonly<
  Record<number, { name: string; severity: 'normal' | 'warning' | 'error' | 'alert'; text: string }>
>;
