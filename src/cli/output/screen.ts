/** What is drawn in place: the screen of a terminal, from its top left. */

/** Cursor to the top left, and the rest of the screen cleared. */
export const redrawn = '\u001b[H\u001b[J';
