/** Up to so many are looked through as quickly as a set is made. */
const FEW = 16;

/** Whether something is in a list, for whoever asks for each of many. */
export function memberTest<K>(list: readonly K[]): (one: K) => boolean {
  if (list.length <= FEW) return (one) => list.includes(one);
  const set = new Set(list);
  return (one) => set.has(one);
}
