/** Several messages as one: what ends as a sentence does is followed by the next, other words by a semicolon. */
export const joinMessages = (messages: readonly string[]): string =>
  messages
    .map((message, at) => {
      if (at === messages.length - 1) return message;
      return /[.?!]$/.test(message) ? `${message} ` : `${message}; `;
    })
    .join("");
