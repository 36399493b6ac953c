/** The complete lines of a stream of bytes. A last line without a line feed is dropped. Characters may be split between two chunks. */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      const rest = chunk.subarray(from, end);
      const line = begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
      begun = [];
      from = end + 1;
      if (line.length > 0) yield line.toString("utf8");
    }
    if (from < chunk.length) begun.push(chunk.subarray(from));
  }
}

const LINE_FEED = 0x0a;
