/** Asks the whole time while something happens. Returns every failure that was not over with the next request. */
export async function whileAsking(
  ask: () => Promise<unknown>,
  run: () => Promise<void>,
): Promise<readonly (readonly string[])[]> {
  const failures: string[][] = [];
  let isOver = false;
  const asking = (async (): Promise<void> => {
    let row: string[] = [];
    while (!isOver) {
      const failure = await ask().then(
        () => undefined,
        (error: unknown) => String(error),
      );
      if (failure !== undefined) row.push(failure);
      else {
        if (row.length > 1) failures.push(row);
        row = [];
      }
    }
  })();
  try {
    await run();
  } finally {
    isOver = true;
    await asking;
  }
  return failures;
}
