/** Error of the readers of image and archive formats: the file is damaged, or needs what is not supported. */

/** A file that cannot be used. The message names the fault, and no path: users get to see it. */
export class FormatError extends Error {}
