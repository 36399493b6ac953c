/** Looks a key up, building and keeping its value when it is new. */
export type Remember<V> = (key: string, build: (key: string) => V) => V;

/** Remembers at most `capacity` values and forgets the least recently used one: an endless supply of keys must not fill the memory. */
export function createLruCache<V>(capacity: number): Remember<V> {
  const values = new Map<string, { readonly value: V }>();
  return (key, build) => {
    const entry = values.get(key) ?? { value: build(key) };
    // A Map keeps insertion order: taking a key out and putting it back makes it the youngest.
    values.delete(key);
    values.set(key, entry);
    for (const oldest of values.keys()) {
      if (values.size <= capacity) break;
      values.delete(oldest);
    }
    return entry.value;
  };
}
