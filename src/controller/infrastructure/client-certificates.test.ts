import { beforeAll, describe, expect, test } from "vitest";
import { type CertifiedKey, makeAuthority } from "../../adapters/certificates/make-certificates.ts";
import { readCertificate } from "../../adapters/certificates/read-certificate.ts";
import { type JsonObject, textAt } from "../../core/model/json.ts";
import { clientSecretData } from "./client-certificates.ts";

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 18);
const OPTIONS = { commonName: "door", uriNames: ["prevail://node/door-*", "prevail://gateway/default/door"] };

describe("the certificate of the Envoys of a Gateway", () => {
  let key: CertifiedKey;
  let other: CertifiedKey;
  let first: JsonObject;

  const dataOf = (
    existing: JsonObject | undefined,
    nowMs = NOW_MS,
    signer = key,
    options = OPTIONS,
  ): Promise<JsonObject> =>
    clientSecretData(
      existing === undefined ? undefined : { data: existing },
      { key: signer, authorities: "all" },
      {
        ...options,
        nowMs,
      },
    );
  const text = (data: JsonObject, name: string): string => Buffer.from(textAt(data, name), "base64").toString("utf8");

  beforeAll(async () => {
    key = await makeAuthority({ commonName: "one", nowMs: NOW_MS - DAY_MS, days: 3650 });
    other = await makeAuthority({ commonName: "one", nowMs: NOW_MS - DAY_MS, days: 3650 });
    first = await dataOf(undefined);
  });

  test("is for its nodes and its Gateway, and comes with the authorities that Envoys trust", () => {
    const facts = readCertificate(text(first, "tls.crt"));
    for (const name of OPTIONS.uriNames) expect(facts?.hasUri(name)).toBe(true);
    expect(facts?.isSignedBy(key.certificate)).toBe(true);
    expect(facts?.hasKey(text(first, "tls.key"))).toBe(true);
    expect(text(first, "ca.crt")).toBe("all");
  });

  test("stays while it is good", async () => {
    expect(await dataOf(first, NOW_MS + 59 * DAY_MS)).toEqual(first);
  });

  test.each<[string, () => Promise<JsonObject>]>([
    ["30 days before its end", () => dataOf(first, NOW_MS + 61 * DAY_MS)],
    ["after a change of the authority", () => dataOf(first, NOW_MS, other)],
    [
      "for another Gateway",
      () => dataOf(first, NOW_MS, key, { ...OPTIONS, uriNames: ["prevail://gateway/default/other"] }),
    ],
    ["where the Secret was changed", () => dataOf({ ...first, "tls.key": "" })],
  ])("is made again %s", async (_, next) => {
    expect((await next())["tls.crt"]).not.toBe(first["tls.crt"]);
  });
});
