/** Several messages as one sentence: the full stop is at the end, if anywhere. */
export const joinMessages = (messages: readonly string[]): string =>
  messages.map((message, at) => (at < messages.length - 1 ? message.replace(/\.$/, "") : message)).join("; ");
