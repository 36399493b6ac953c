/** A name in the input may have megabytes; a message repeats only its beginning. */
const MAX_LENGTH = 2_000;

export const clipText = (text: string, maxLength: number = MAX_LENGTH): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
