/** What the exit codes mean: for help, and for those who read the list of commands. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'done; also: nothing found, or the reader of the output has gone'],
  [1, 'unexpected failure, or a refusal that fits no other code'],
  [2, 'usage: flags, arguments, input files; nothing was sent'],
  [3, 'a named object does not exist'],
  [4, 'signing in is required, or was refused'],
  [5, 'not allowed'],
  [6, 'ambiguous, in conflict, or in the wrong state'],
  [7, 'waiting took too long; the operation may still be running'],
  [8, 'the server cannot be reached, or is not trusted'],
  [9, 'of several objects some were done and some failed'],
  [10, 'the server failed'],
  [11, 'diff: there are differences'],
  [12, 'declined, or it had to be confirmed and nobody could be asked'],
  [130, 'ended by Ctrl-C'],
  [143, 'ended by SIGTERM'],
];
