/** Formats the pointer `/spec/rules/0/retry` as findings name fields: `spec.rules[0].retry`. A key that would be misread is in brackets. */
export function fieldOfPointer(pointer: string): string {
  const tokens = pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  return tokens
    .map((token, index) => {
      if (/^\d+$/.test(token) || /[.[\]]/.test(token)) return `[${token}]`;
      return index === 0 ? token : `.${token}`;
    })
    .join("");
}
