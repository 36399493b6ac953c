/** A client that sends back the cookies, or the header, of the responses that it got. */
import { askRow, type RowResponse } from "../behaviour/ask-row.ts";
import type { RowRequest } from "../behaviour/behaviour-row.ts";

export interface SessionClient {
  /** The body of the response, or its status if that is not 200. */
  readonly ask: (more?: RowRequest) => Promise<string>;
  /** The last response. */
  readonly last: () => RowResponse | undefined;
  /** The values of all cookies that were set, each with its attributes. */
  readonly cookies: () => readonly string[];
}

/** `header`: the name of the session header. Undefined: sessions are in cookies. */
export function sessionClient(port: number, host: string, header?: string): SessionClient {
  const jar = new Map<string, string>();
  const cookies: string[] = [];
  let session: string | undefined;
  let last: RowResponse | undefined;
  return {
    ask: async (more = {}) => {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
      const own: Record<string, string> = {
        ...(cookie === "" ? {} : { cookie: `other=1; ${cookie}` }),
        ...(header === undefined || session === undefined ? {} : { [header]: session }),
      };
      last = await askRow(port, host, { ...more, headers: { ...own, ...more.headers } });
      const set = last.headers["set-cookie"] ?? [];
      for (const line of typeof set === "string" ? [set] : set) {
        cookies.push(line);
        const [pair = ""] = line.split(";");
        jar.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
      }
      const named = header === undefined ? undefined : last.headers[header];
      if (typeof named === "string") session = named;
      return last.status === 200 ? last.body : String(last.status);
    },
    last: () => last,
    cookies: () => cookies,
  };
}
