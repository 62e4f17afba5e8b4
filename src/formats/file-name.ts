/** File names from data of a server or a document. */

/** Maximum length of a file name in common file systems, in bytes of UTF-8. */
const longest = 255;

/** Reserved device names of Windows. They can have any extension. */
const reserved = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?$/i;

/** Separators, characters that Windows refuses, and characters that terminals do not display. */
const forbidden = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029<>:"/\\|?*]/u;

/**
 * Whether a text is a valid file name: it contains no path, is not hidden, and means the same on
 * every operating system.
 */
export function isFileName(text: string): boolean {
  return (
    text !== '' &&
    !text.startsWith('.') &&
    !/[. ]$/.test(text) &&
    Buffer.byteLength(text) <= longest &&
    !forbidden.test(text) &&
    !reserved.test(text)
  );
}

/**
 * Builds `STEM.EXTENSION` from the first of `stems` that gives a valid name. Stems come from a
 * server or a document. Throws if none is valid; `what` names the object in the message.
 */
export function fileNameFrom(stems: readonly string[], extension: string, what: string): string {
  const name = stems.map((stem) => `${stem}.${extension}`).find(isFileName);
  if (name !== undefined) return name;
  throw new Error(`the ${what} ${JSON.stringify(stems.at(-1) ?? '')} is not a valid file name`);
}
