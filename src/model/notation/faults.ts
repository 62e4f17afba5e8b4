/** Notation of faults: HTTP status and sentence. */
export type FaultTexts = Readonly<Record<string, { status: number; text: string }>>;
