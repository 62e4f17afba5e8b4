/** File names that are built from data of a server or a document. */

/** Longest file name that the common file systems accept, in bytes of UTF-8. */
const longest = 255;

/** Names that Windows reserves for devices, with any extension. */
const reserved = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?$/i;

/** Separators, characters that Windows refuses, and characters that a terminal does not show as they are. */
const forbidden = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029<>:"/\\|?*]/u;

/**
 * Whether a text can be used as the name of a file: it cannot leave its folder, is not hidden, and means
 * the same on every operating system.
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
 * The file name `STEM.EXTENSION` with the first of `stems` that makes a valid name. Stems come from a server
 * or a document. Throws if no stem does; `what` names the object in the message.
 */
export function fileNameFrom(stems: readonly string[], extension: string, what: string): string {
  const name = stems.map((stem) => `${stem}.${extension}`).find(isFileName);
  if (name !== undefined) return name;
  throw new Error(`the ${what} ${JSON.stringify(stems.at(-1) ?? '')} is not a valid file name`);
}
