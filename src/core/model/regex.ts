/** Matches a text against a regular expression in time linear in the text. A faulty or too costly pattern is a value. */
export type MatchRegex = (
  pattern: string,
  text: string,
) => { readonly state: "value"; readonly matches: boolean } | { readonly state: "error"; readonly message: string };
