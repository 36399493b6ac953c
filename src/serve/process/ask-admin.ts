import type { CliIo } from "../../cli/cli-io.ts";
import type { Json } from "../../core/model/json.ts";

const ADMIN_MS = 5000;

/** Asks the admin port of a gateway for a page in JSON. */
export const askAdmin: CliIo["askAdmin"] = async ({ host, port }, page) => {
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  let response: Response;
  try {
    response = await fetch(`http://${authority}${page}`, { signal: AbortSignal.timeout(ADMIN_MS), redirect: "error" });
  } catch {
    return { ok: false, reason: `no gateway responds at ${authority}` };
  }
  if (!response.ok)
    return { ok: false, reason: `${authority} has no page ${page} (it responds with ${response.status})` };
  try {
    return { ok: true, page: (await response.json()) as Json };
  } catch {
    return { ok: false, reason: `the page ${page} of ${authority} is not JSON` };
  }
};
