import type { World } from "../../effective/world/world.ts";
import type { ObjectName } from "./policy-test.ts";

/** Everything needed to read a part of a test. */
export interface TestReading {
  readonly world: World;
  readonly report: (field: string, message: string) => void;
  readonly readName: (text: string, field: string) => ObjectName | undefined;
}
