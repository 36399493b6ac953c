import { describe, expect, test } from "vitest";
import { formatContinue, parseContinue } from "./continue-token.ts";
import { parseListQuery } from "./list-query.ts";
import { negotiate } from "./negotiate.ts";

const baker = { namespace: "bakery", name: "httproute.baker", labels: { team: "bread" } };
const parse = (text: string) => parseListQuery(new URLSearchParams(text));

describe("the query of a list", () => {
  test.each([
    ["", true],
    ["labelSelector=team%3Dbread", true],
    ["labelSelector=team%21%3Dbread", false],
    ["labelSelector=team+in+(cake,bread)", true],
    ["fieldSelector=metadata.name%3Dhttproute.baker", true],
    ["fieldSelector=metadata.name%3D%3Dhttproute.baker,metadata.namespace%21%3Dshop", true],
    ["fieldSelector=metadata.namespace%3Dshop", false],
  ])("%s", (text, isSelected) => {
    const query = parse(text);
    expect(typeof query === "string" ? query : query.isSelected(baker)).toBe(isSelected);
  });
  test.each(["limit=-1", "limit=many", "continue=abc", "fieldSelector=spec.x%3D1", "labelSelector=a+b"])(
    "%s is a mistake",
    (text) => expect(parse(text)).toBeTypeOf("string"),
  );
  test("limit 0 is no limit", () => expect(parse("limit=0")).toMatchObject({ limit: undefined }));
  test("a token has the last object of the page and nothing else", () => {
    const token = formatContinue({ namespace: "bakery", name: "httproute.baker" });
    expect(parseContinue(token)).toEqual({ namespace: "bakery", name: "httproute.baker" });
    expect(Buffer.from(token, "base64url").toString()).toBe('{"v":1,"after":["bakery","httproute.baker"]}');
  });
});

describe("the form of a response", () => {
  const all = ["Table", "PartialMetadata", "Object"] as const;
  test.each([
    [undefined, "Object"],
    ["*/*", "Object"],
    ["application/json;as=Table;v=v1;g=meta.k8s.io,application/json", "Table"],
    ["application/json;as=Table;v=v9;g=meta.k8s.io,application/json", "Object"],
    ["application/vnd.kubernetes.protobuf, application/json", "Object"],
    ["application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", "PartialMetadata"],
    ["application/vnd.kubernetes.protobuf", undefined],
  ])("%s", (accept, form) => expect(negotiate(accept, all)?.form).toBe(form));
});
