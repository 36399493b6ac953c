/** Messages are for people; whoever writes ten megabytes into a name does not get them back in every message. */
const MAX_LENGTH = 2_000;

/** The text, or its beginning. */
export const clipText = (text: string, maxLength: number = MAX_LENGTH): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
