import type { KubernetesParts } from "../kubernetes/find-kubernetes.ts";

/** What the rig runs. */
export interface RigParts extends KubernetesParts {
  /** Gateway API's conformance suite, and the backend that it deploys. */
  readonly suite: string;
  readonly echo: string;
  readonly envoy: string;
}

/** The parts that `scripts/rig.mjs` has found or built, before it made the namespaces: no network leads out of them. */
export function findRigParts(env: NodeJS.ProcessEnv = process.env): RigParts {
  const text = env["PREVAIL_RIG_PARTS"];
  if (text === undefined) throw new Error("this program runs in the rig only: node scripts/rig.mjs PROGRAM.ts");
  return JSON.parse(text) as RigParts;
}
