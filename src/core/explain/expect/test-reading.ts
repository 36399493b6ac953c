import type { World } from "../../effective/world/world.ts";
import type { ObjectName } from "./policy-test.ts";

/** What reading a part of a test needs. */
export interface TestReading {
  readonly world: World;
  readonly report: (field: string, message: string) => void;
  readonly readName: (text: string, field: string) => ObjectName | undefined;
}
