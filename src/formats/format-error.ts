/** Error for image and archive files that are damaged or unsupported. */

/** Unusable file. The message names the problem without a path, because users see it. */
export class FormatError extends Error {}
