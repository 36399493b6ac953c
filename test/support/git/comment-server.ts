import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What a comment server was asked: method, path and headers. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface CommentServer {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  readonly comments: { id: number; body: string }[];
  /** Forgets comments and requests; writing is allowed. */
  clear(): void;
  /** The status of responses to requests that write. */
  setWriteStatus(status: number): void;
  setReadStatus(status: number): void;
  close(): Promise<void>;
}

/** A server on the loopback with comments, as the APIs of GitHub and GitLab have them: lists in pages, POST, and PATCH or PUT. */
export async function startCommentServer(): Promise<CommentServer> {
  const comments: { id: number; body: string }[] = [];
  const requests: ReceivedRequest[] = [];
  let writeStatus = 200;
  let readStatus = 200;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      requests.push({ method, path: url, headers });
      const { pathname, searchParams } = new URL(url, "http://localhost");
      const send = (status: number, value: unknown): void => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(value));
      };
      const refusal = method === "GET" ? readStatus : writeStatus;
      if (refusal >= 400) return send(refusal, { message: "Resource not accessible by integration" });
      if (method === "GET") {
        const [size, page] = [Number(searchParams.get("per_page")), Number(searchParams.get("page"))];
        return send(200, comments.slice((page - 1) * size, page * size));
      }
      const text = (JSON.parse(body) as { readonly body: string }).body;
      const known = comments.find(({ id }) => pathname.endsWith(`/${id}`));
      if (method === "POST") comments.push({ id: comments.length + 1000, body: text });
      else if (known !== undefined) known.body = text;
      return send(writeStatus, {});
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    comments,
    clear: () => {
      comments.length = 0;
      requests.length = 0;
      writeStatus = 200;
      readStatus = 200;
    },
    setWriteStatus: (status) => {
      writeStatus = status;
    },
    setReadStatus: (status) => {
      readStatus = status;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
