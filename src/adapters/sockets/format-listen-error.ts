/** Why a port cannot be opened, and what to do. `where` is the address as users write it. */
export function formatListenError(error: unknown, where: string): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return `another program uses ${where}; stop it, or choose another port`;
    case "EACCES":
      return `this user may not open ${where}; choose a port above 1023`;
    case "EADDRNOTAVAIL":
      return `${where} is not an address of this machine`;
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
