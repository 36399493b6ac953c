/** Joins messages. A message that ends with a full stop is followed by a space, any other by a semicolon. */
export const joinMessages = (messages: readonly string[]): string =>
  messages
    .map((message, at) => {
      if (at === messages.length - 1) return message;
      return /[.?!]$/.test(message) ? `${message} ` : `${message}; `;
    })
    .join("");
