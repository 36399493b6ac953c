import { printable } from "../model/words/printable.ts";

/** The API server prints longer warnings cut, and drops a warning with a control character. */
const MAX_WARNING = 200;
const MAX_REFUSAL = 1000;

/** Escapes control characters and cuts the text to so many characters, counted as a reader counts them. */
function formatLine(text: string, maxLength: number): string {
  const plain = printable(text);
  const characters = Array.from(plain);
  return characters.length <= maxLength ? plain : `${characters.slice(0, maxLength - 1).join("")}…`;
}

export const formatWarning = (text: string): string => formatLine(text, MAX_WARNING);
export const formatRefusal = (text: string): string => formatLine(text, MAX_REFUSAL);
