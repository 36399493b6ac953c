/** What becomes of the targets that a policy names. */
import type { FindingCode } from "../model/finding-code.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { type KindId, type ObjectId, type ObjectRef, parseObjectId } from "../model/refs.ts";

/** A policy on a declared target. */
export interface Attachment {
  readonly object: ObjectId;
  readonly ref: ObjectRef;
  readonly sectionName?: string;
  /** Acts only on traffic from there: `trafficFrom` a namespace (GEP-713x, "Policy Attachment for Mesh"). */
  readonly consumer?: string;
}

export interface Rejection {
  readonly field: string;
  readonly code: FindingCode;
  readonly message: string;
  /** Nothing of that name: a near miss can be suggested when the message is shown (it depends on all names there are). Of the first few only. */
  readonly missing?: { readonly kind: KindId; readonly namespace: string; readonly name: string };
}

export interface ResolvedTargets {
  readonly attachments: readonly Attachment[];
  readonly rejections: readonly Rejection[];
  /**
   * What the answer depended on: objects named (existing or not), namespaces whose grants were asked, kinds selected by
   * label. `targetsNamed` tells all that are named.
   */
  readonly alsoNamed: readonly ObjectId[];
  readonly grantsOf: readonly string[];
  readonly selects: readonly KindId[];
}

/** Every object that the policy names as its target, there or not. */
export function targetsNamed({ attachments, alsoNamed, selects }: ResolvedTargets): readonly ObjectId[] {
  if (alsoNamed.length > 0 || selects.length > 0) return alsoNamed;
  const [only] = attachments;
  if (only !== undefined && attachments.length === 1) return [only.object];
  return [...new Set(attachments.map(({ object }) => object))];
}

const NONE: readonly never[] = [];

/** What has nothing to say but where the policy is attached. */
abstract class PlainTargets implements ResolvedTargets {
  abstract get attachments(): readonly Attachment[];

  get rejections(): readonly Rejection[] {
    return NONE;
  }
  get alsoNamed(): readonly ObjectId[] {
    return NONE;
  }
  get grantsOf(): readonly string[] {
    return NONE;
  }
  get selects(): readonly KindId[] {
    return NONE;
  }
}

export class AllAttached extends PlainTargets {
  readonly attachments: readonly Attachment[];

  constructor(attachments: readonly Attachment[]) {
    super();
    this.attachments = attachments;
  }
}

/** Small, as there are many: an object as such, whoever its traffic is from. */
export class LoneTarget extends PlainTargets {
  readonly target: KubeObject;

  constructor(target: KubeObject) {
    super();
    this.target = target;
  }

  /** Made anew each time. */
  get attachments(): readonly Attachment[] {
    return [new ResolvedAttachment(this.target)];
  }
}

/** Its id and reference are put together when somebody asks. */
export class ResolvedAttachment implements Attachment {
  /** The object, or the id of one that is implied, or virtual. */
  readonly target: KubeObject | ObjectId;
  declare sectionName?: string;
  declare consumer?: string;

  constructor(target: KubeObject | ObjectId) {
    this.target = target;
  }

  get object(): ObjectId {
    return idOfTarget(this.target);
  }

  get ref(): ObjectRef {
    return typeof this.target === "string" ? parseObjectId(this.target) : this.target.ref;
  }
}

export const idOfTarget = (target: KubeObject | ObjectId): ObjectId =>
  typeof target === "string" ? target : target.id;
