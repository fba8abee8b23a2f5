// Waiting entries in round-robin order: of wide networks, within each of its networks, and within each of these in FIFO order. However
// much one network sends, another waits for one entry of each network at most. Every other turn belongs to the wide network that came
// last and has not been served: a flood from very many networks makes the queue long, but not the wait of one who comes in between. Pure.

export type From = { network: string; wideNetwork: string }

export type Bounds = { most: number; mostOfWide: number; mostOfNetwork: number }

export class Rings<T extends { from: From }> {
  readonly #bounds: Bounds
  /** Maps keep the order of insertion: what was served last is inserted again, at the end. */
  readonly #wides = new Map<string, Map<string, T[]>>()
  /** Wide networks of which nothing has been served since they came, in the order of arrival. */
  readonly #unserved = new Set<string>()
  #isLatestNext = true
  #length = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  get length(): number {
    return this.#length
  }

  /**
   * Adds the entry. Returns the one that does not fit: the entry itself, if its network has its share; if all is full, the last one
   * of the wide network that has the most.
   */
  add(entry: T): T | undefined {
    const { most, mostOfWide, mostOfNetwork } = this.#bounds
    const { network, wideNetwork } = entry.from
    const ofWide = this.#countOf(wideNetwork)
    const ofNetwork = this.#wides.get(wideNetwork)?.get(network)?.length ?? 0
    if (ofNetwork >= mostOfNetwork || ofWide >= mostOfWide) return entry
    const dropped = this.#length >= most ? this.#dropLastOfLargest(ofWide + 1) : undefined
    if (this.#length >= most) return entry
    this.#insert(entry)
    return dropped
  }

  take(): T | undefined {
    const latest = this.#isLatestNext ? [...this.#unserved].at(-1) : undefined
    const [first] = this.#wides.keys()
    const wideNetwork = latest ?? first
    const networks = wideNetwork === undefined ? undefined : this.#wides.get(wideNetwork)
    if (wideNetwork === undefined || networks === undefined) return undefined
    const [[network, entries] = []] = networks
    const entry = entries?.[0]
    if (network === undefined || entries === undefined || entry === undefined) return undefined
    this.#isLatestNext = !this.#isLatestNext
    this.#unserved.delete(wideNetwork)
    this.#remove(entry)
    if (entries.length > 0) moveToEnd(networks, network, entries)
    if (networks.size > 0) moveToEnd(this.#wides, wideNetwork, networks)
    return entry
  }

  /** Removes the entries that match. */
  removeWhere(matches: (entry: T) => boolean): T[] {
    const found = this.#all().filter(matches)
    for (const entry of found) this.#remove(entry)
    return found
  }

  #all(): T[] {
    return [...this.#wides.values()].flatMap((networks) => [...networks.values()].flat())
  }

  #countOf(wideNetwork: string): number {
    let count = 0
    for (const entries of this.#wides.get(wideNetwork)?.values() ?? []) count += entries.length
    return count
  }

  /** Only if it has more than `share`. */
  #dropLastOfLargest(share: number): T | undefined {
    let [largest, most] = ['', share]
    for (const wideNetwork of this.#wides.keys()) {
      const count = this.#countOf(wideNetwork)
      if (count > most) [largest, most] = [wideNetwork, count]
    }
    let longest: readonly T[] = []
    for (const entries of this.#wides.get(largest)?.values() ?? [])
      if (entries.length >= longest.length) longest = entries
    const last = longest.at(-1)
    if (last) this.#remove(last)
    return last
  }

  #insert(entry: T): void {
    const { network, wideNetwork } = entry.from
    if (!this.#wides.has(wideNetwork)) this.#unserved.add(wideNetwork)
    const networks = this.#wides.get(wideNetwork) ?? new Map<string, T[]>()
    const entries = networks.get(network) ?? []
    entries.push(entry)
    networks.set(network, entries)
    this.#wides.set(wideNetwork, networks)
    this.#length++
  }

  #remove(entry: T): void {
    const { network, wideNetwork } = entry.from
    const networks = this.#wides.get(wideNetwork)
    const entries = networks?.get(network)
    const index = entries?.indexOf(entry) ?? -1
    if (!networks || !entries || index === -1) return
    entries.splice(index, 1)
    this.#length--
    if (entries.length === 0) networks.delete(network)
    if (networks.size > 0) return
    this.#wides.delete(wideNetwork)
    this.#unserved.delete(wideNetwork)
  }
}

function moveToEnd<V>(map: Map<string, V>, name: string, value: V): void {
  map.delete(name)
  map.set(name, value)
}
