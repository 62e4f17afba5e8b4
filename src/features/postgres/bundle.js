// Build of the PostgreSQL connection thread.

/** Writes `dist/postgres-thread.cjs`. */
export async function bundle({ write, common, output }) {
  await write(
    { ...common, input: { 'postgres-thread': 'src/features/postgres/thread.ts' } },
    { ...output, format: 'cjs', codeSplitting: false, entryFileNames: '[name].cjs' },
  );
}
