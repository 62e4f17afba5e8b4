/** Notation of faults: HTTP status and text. */
export type FaultTexts = Readonly<Record<string, { status: number; text: string }>>;
