import { describe, expect, test } from "vitest";
import { ChildUses } from "./child-uses.ts";

const MORE_THAN_ARE_SHARED = 20_001;

describe("lists of uses", () => {
  test("those that are equal are one", () => {
    const none = ChildUses.none();
    const list = none.with(0, 80).with(1, 80).list;
    expect(list).toEqual([
      { sectionIndex: 0, ports: [80] },
      { sectionIndex: 1, ports: [80] },
    ]);
    expect(none.with(0, 80).with(1, 80).list).toBe(list);
  });

  test("beyond the bound they are equal all the same", () => {
    const none = ChildUses.none();
    for (let port = 1; port <= MORE_THAN_ARE_SHARED; port++) none.with(0, port);
    const [one, other] = [none.with(1, 80), none.with(1, 80)];
    expect(one.list).toEqual(other.list);
  });

  test("whoever invents thousands takes room from nobody else", () => {
    const [inventive, plain] = [ChildUses.none(), ChildUses.none()];
    for (let port = 1; port <= MORE_THAN_ARE_SHARED; port++) inventive.with(0, port);
    const shared = plain.with(0, 80).with(1, 80);
    plain.with(0, 443);
    expect(plain.with(0, 80).with(1, 80)).toBe(shared);
  });
});
