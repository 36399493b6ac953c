/** Why resources cannot be followed. A resource may be followed in several namespaces, and each has troubles of its own. */

/** Called with the reason, and with undefined when it is over. */
type OnTrouble = (resource: string, error: Error | undefined) => void;

export class ResourceTroubles {
  readonly #onTrouble: OnTrouble;
  /** How many scopes of a resource are in trouble. */
  readonly #scopes = new Map<string, number>();

  constructor(onTrouble: OnTrouble) {
    this.#onTrouble = onTrouble;
  }

  /** For one scope of a resource. The trouble of the resource is over when no scope has one. */
  ofScope(resource: string): (error: Error | undefined) => void {
    let isTroubled = false;
    return (error) => {
      if (error === undefined && !isTroubled) return;
      const scopes = (this.#scopes.get(resource) ?? 0) + (error === undefined ? 0 : 1) - (isTroubled ? 1 : 0);
      this.#scopes.set(resource, scopes);
      isTroubled = error !== undefined;
      if (error !== undefined || scopes === 0) this.#onTrouble(resource, error);
    };
  }
}
