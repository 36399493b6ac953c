/** Shortens a text for messages: a name of ten megabytes must not be repeated in every message. */
const MAX_LENGTH = 2_000;

/** The text, or its beginning. */
export const clipText = (text: string, maxLength: number = MAX_LENGTH): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
