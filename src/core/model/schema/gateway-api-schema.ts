/** The schema of `spec` of one kind, with the release channels and versions whose CRDs have it. */
export interface GatewayApiSchema {
  readonly group: string;
  readonly kind: string;
  readonly versions: readonly GatewayApiVersion[];
  /** JSON. `{"$ref": 3}` stands for a schema that occurs more than once. */
  readonly spec: string;
}

interface GatewayApiVersion {
  readonly channel: "standard" | "experimental";
  readonly name: string;
  readonly storage: boolean;
}
