// Limits the slots and the memory that requests of one kind may use: in total, per account and per key.

/** The account and key of a request. */
export type Tenant = { account: bigint; key: bigint }

export type Limits = { inFlight: number; memoryBytes: number }

/** Fractions of the limits. */
export type Fractions = { all: number; account: number; key: number }

type Used = { requests: number; bytes: number }

export class BoundedShare {
  readonly #fractions: Fractions
  readonly #all: Used = { requests: 0, bytes: 0 }
  readonly #accounts = new Map<bigint, Used>()
  readonly #keys = new Map<bigint, Used>()

  constructor(fractions: Fractions) {
    this.#fractions = fractions
  }

  get requests(): number {
    return this.#all.requests
  }

  /** Whether a request of so many bytes may start (`more` is 1), or a running one grow by them (0). */
  fits({ account, key }: Tenant, more: 0 | 1, bytes: number, { inFlight, memoryBytes }: Limits): boolean {
    const { all, account: ofAccount, key: ofKey } = this.#fractions
    const [inAccount, inKey] = [this.#accounts.get(account), this.#keys.get(key)]
    const hasSlot = (used: Used | undefined, fraction: number): boolean =>
      used === undefined || used.requests === 0 || used.requests < Math.floor(inFlight * fraction)
    if (more === 1 && !(hasSlot(this.#all, all) && hasSlot(inAccount, ofAccount) && hasSlot(inKey, ofKey))) return false
    const hasMemory = (used: Used | undefined, fraction: number): boolean =>
      used === undefined || used.requests + more <= 1 || used.bytes + bytes <= memoryBytes * fraction
    // The only request of an account may have any size: limits may be smaller than one body.
    if (inAccount === undefined || inAccount.requests + more <= 1) return true
    return hasMemory(this.#all, all) && hasMemory(inAccount, ofAccount) && hasMemory(inKey, ofKey)
  }

  /** Negative numbers subtract. */
  add({ account, key }: Tenant, requests: number, bytes: number): void {
    this.#all.requests += requests
    this.#all.bytes += bytes
    addTo(this.#accounts, account, requests, bytes)
    addTo(this.#keys, key, requests, bytes)
  }
}

function addTo(map: Map<bigint, Used>, id: bigint, requests: number, bytes: number): void {
  const used = map.get(id)
  if (!used) {
    map.set(id, { requests, bytes })
    return
  }
  used.requests += requests
  used.bytes += bytes
  if (used.requests === 0) map.delete(id)
}
