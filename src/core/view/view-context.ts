import type { World } from "../effective/world/world.ts";
import type { Finding } from "../model/finding.ts";
import type { ObjectId } from "../model/refs.ts";
import type { RetryKnowledge } from "../retry/retry-counts.ts";
import type { PluralOf } from "./view-name.ts";

/** The input of every view. */
export interface ViewContext {
  readonly world: World;
  /** Findings about resources that could not be read. */
  readonly unread: readonly Finding[];
  readonly pluralOf: PluralOf;
  /** True: of a policy that the user may not read, a handle is shown instead of its namespace and name. */
  readonly redactsNames?: boolean;
  /** The worth of retries at present. Absent: the controller serves no Gateways, or the view is part of a list. */
  readonly retries?: (() => RetryKnowledge | undefined) | undefined;
  /** The reason why the status of an object is left alone: another writer resets it. Only the replica that writes status knows. */
  readonly stoppedStatus?: (id: ObjectId) => StoppedStatus | undefined;
}

/** Why what was wanted of the status of an object is not written. */
export interface StoppedStatus {
  /** The field manager that resets it. */
  readonly manager: string;
  /** The time before which nothing is written (RFC 3339). */
  readonly until: string;
}

/** The rights of the user who reads a view. */
export interface Viewer {
  /** True if the user may get objects of this kind in this namespace. */
  readonly mayRead: (object: ObjectId) => boolean;
  /** True if the user may get the effective policies of the objects in this namespace, and so may know their names. */
  readonly maySee: (namespace: string) => boolean;
}
