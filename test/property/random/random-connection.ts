/** Connections full of requests, most of them in order, some with a little something wrong: what a reader must never take for something else. */
import fc from "fast-check";

const line = (name: string, value: string): string => `${name}: ${value}\r\n`;

/** Mostly the first kind. */
const mostly = (usual: readonly [string, ...string[]], odd: readonly [string, ...string[]]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: fc.constantFrom(...odd) });

const headers = fc.array(
  mostly(
    [
      line("X-Plain", "a b"),
      line("x_under", ""),
      line("Accept", "*/*, \t text/html;q=0.5"),
      line("X-Bytes", "\x80\xff\xa0"),
      line("Cookie", 'a="b:c"; d=e'),
      line("TE", "trailers"),
      line("Connection", "keep-alive"),
      line("Connection", "x-plain, Keep-Alive"),
      "X:a\r\n",
      "X:\t\r\n",
    ],
    [
      line("Expect", "100-continue"),
      line("Connection", "close"),
      line("Connection", "Upgrade"),
      line("Upgrade", "websocket"),
      line("Content-Length", "0"),
      line("Content-Length", "3"),
      line("Transfer-Encoding", "chunked"),
      line("Transfer-Encoding", "gzip, chunked"),
      line("Host", "b.example"),
      "Folded: a\r\n b\r\n",
      "Spaced : a\r\n",
    ],
  ),
  { maxLength: 3 },
);

const bodies = fc.oneof(
  { weight: 3, arbitrary: fc.constant("") },
  fc.string({ maxLength: 12 }).map((text) => {
    const body = text.replace(/[^\x20-\x7e]/g, "x");
    return `${line("Content-Length", String(body.length))}\r\n${body}`;
  }),
  fc
    .tuple(
      fc.array(fc.constantFrom("1\r\na\r\n", "003\r\nabc\r\n", "A;x=y\r\n0123456789\r\n", '2;q="z"\r\n\r\n\r\n'), {
        maxLength: 3,
      }),
      mostly(["0\r\n\r\n", "0\r\nX-Sum: 1\r\n\r\n", "00;x\r\n\r\n"], ["0\r\nHost: c\r\n\r\n"]),
    )
    .map(([chunks, last]) => `${line("Transfer-Encoding", "chunked")}\r\n${chunks.join("")}${last}`),
);

const request = fc
  .record({
    before: mostly([""], ["\r\n"]),
    method: mostly(["GET", "POST", "PUT", "HEAD", "M-SEARCH", "QUERY"], ["TRACE", "FROB"]),
    target: mostly(["/", "/a?b=c", "/menu/%41", "http://a.example/x", "/[1]|'"], ["*", "/a#b", "/\x80"]),
    version: mostly(["HTTP/1.1"], ["HTTP/1.0", "HTTP/1.2", "HTTP/2.0"]),
    host: mostly([line("Host", "a.example"), line("hOST", "a.example")], [line("Host", "b.example:80"), ""]),
    headers,
    body: bodies,
  })
  .map(
    ({ before, method, target, version, host, headers: more, body }) =>
      `${before}${method} ${target} ${version}\r\n${host}${more.join("")}${body === "" ? "\r\n" : body}`,
  );

/** What readers stumble over. */
const oddity = fc.constantFrom(
  "\r",
  "\n",
  "\r\n",
  "\r\n\r\n",
  " ",
  "\t",
  "\0",
  "\x7f",
  "\x80",
  "\x0b",
  ":",
  ";",
  ",",
  '"',
  "0",
  "3",
  "f",
  "-",
  "+",
  "_",
  "x",
);

const mutation = fc.record({
  at: fc.nat(400),
  removed: fc.constantFrom(0, 0, 1, 1, 2, 5),
  inserted: fc.oneof(oddity, fc.constant("")),
});

/** One to three requests, with up to three changes at any offset. */
export const randomConnection = fc
  .tuple(
    fc.array(request, { minLength: 1, maxLength: 3 }),
    fc.oneof(
      { weight: 1, arbitrary: fc.constant([]) },
      { weight: 2, arbitrary: fc.array(mutation, { minLength: 1, maxLength: 3 }) },
    ),
  )
  .map(([requests, mutations]) =>
    mutations.reduce((text, { at, removed, inserted }) => {
      const offset = at % (text.length + 1);
      return text.slice(0, offset) + inserted + text.slice(offset + removed);
    }, requests.join("")),
  );
