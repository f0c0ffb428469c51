/** Numbers and values by key. */

/** The value of a key, made when it is asked for first. */
export function remembered<K, V>(
  known: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

/** Gives every pair of numbers a number of its own: so a list is one number, that of its last and of those before. */
export class Pairs {
  readonly #ones: number[] = [];
  readonly #others: number[] = [];
  /** By hash: the pair's number, one higher. */
  #slots = new Int32Array(1024);

  of(one: number, other: number): number {
    const slot = this.#slotOf(one, other);
    const known = this.#slots[slot] ?? 0;
    if (known > 0) return known - 1;
    this.#others.push(other);
    this.#slots[slot] = this.#ones.push(one);
    if (this.#ones.length * 2 > this.#slots.length) this.#grow();
    return this.#ones.length - 1;
  }

  /** The slot of the pair, or the free one for it. */
  #slotOf(one: number, other: number): number {
    const mask = this.#slots.length - 1;
    const mixed = Math.imul(one, 0x9e3779b1) ^ Math.imul(other, 0x85ebca6b);
    let slot = (mixed ^ (mixed >>> 15)) & mask;
    for (let pair = this.#slots[slot] ?? 0; pair > 0; pair = this.#slots[slot] ?? 0) {
      if (this.#ones[pair - 1] === one && this.#others[pair - 1] === other) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (const [pair, one] of this.#ones.entries()) this.#slots[this.#slotOf(one, this.#others[pair] ?? 0)] = pair + 1;
  }
}
