/** How faults are declared: the HTTP status and the sentence. */
export type FaultTexts = Readonly<Record<string, { status: number; text: string }>>;
