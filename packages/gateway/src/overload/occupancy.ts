// What the running requests take of the process: slots and memory, in all and by account. Who waits for them is in admission.ts.
import { BoundedShare, type Limits, type Tenant } from './bounded-share.ts'
import { mayTake, mostPerAccount } from './fair-share.ts'

/** A request as admission control sees it. */
export type Load = {
  tenant: Tenant
  /** What it weighs now: of a body that is still arriving, what may have arrived. */
  bytes: number
  isArriving: boolean
}

/** A slot among the running requests. */
export type Slot = {
  /** So much of the body was sent and takes so many bytes, decoded. false: there is no memory for it; the request must end. */
  receive(sent: number, bytes: number): boolean
  /** The whole body has arrived and takes so many bytes. false: as above. */
  received(bytes: number): boolean
  /** What the request weighs once its body has been parsed. false: as above. */
  weigh(bytes: number): boolean
  /** Its hold has been placed: whatever it takes is paid for. */
  paid(): void
  /** What the request weighs from now on, for example because its body is not needed any more. */
  resize(bytes: number): void
  /** It waits for its upstream, or does so no longer: meanwhile it needs little of this process. */
  setAwaitingUpstream(isAway: boolean): void
  /** Given back once, however often it is called. */
  release(): void
}

/** Bodies that are still arriving: slow uploads hold slots and memory without any work being done for them. */
const ARRIVING = { all: 3 / 4, account: 3 / 8, key: 1 / 4 }
/** Memory beyond what was sent, by decoding and parsing, of requests without a hold: it can be had without any money. */
const UNPAID = { all: 1 / 8, account: 1 / 16, key: 1 / 16 }
/** What is beyond that by less than this is not worth counting. */
const UNCOUNTED_EXPANSION = 1024 * 1024

/** What one account takes. */
export type Share = {
  readonly account: bigint
  slots: number
  bytes: number
  /** How many others rely on this object to be the account's: running requests, and those that wait. */
  users: number
}

export class Occupancy {
  inFlight = 0
  /** Of those, the requests that wait for their upstream. */
  away = 0
  bytes = 0
  limits: Limits
  readonly arriving = new BoundedShare(ARRIVING)
  readonly unpaid = new BoundedShare(UNPAID)
  /** Called whenever there may be room for a request that waits. */
  readonly onFreed: () => void
  readonly #shares = new Map<bigint, Share>()

  constructor(limits: Limits, onFreed: () => void) {
    this.limits = limits
    this.onFreed = onFreed
  }

  slotsOf(account: bigint): number {
    return this.#shares.get(account)?.slots ?? 0
  }

  /** Whether there is a free slot and memory, whoever asks. One body that is larger than the whole memory gets in alone. */
  hasRoom(bytes: number): boolean {
    const { inFlight, memoryBytes } = this.limits
    return this.inFlight < inFlight && (this.bytes === 0 || this.bytes + bytes <= memoryBytes)
  }

  /** Whether the account may take one more. `taken`: slots, not counting the one that is about to be given to it. */
  isEntitled({ tenant, bytes, isArriving }: Load, taken = this.inFlight): boolean {
    const share = this.#shares.get(tenant.account)
    if (!mayTake(share?.slots ?? 0, taken, this.limits.inFlight)) return false
    if (share && !this.#isWithinHalf(share, bytes)) return false
    return !isArriving || this.arriving.fits(tenant, 1, bytes, this.limits)
  }

  /** Without a load, for a request whose account is not known yet: see `Slot.assign`. */
  take(bytes: number, load?: Load): RunningSlot {
    this.inFlight++
    this.bytes += bytes
    return new RunningSlot(this, bytes, load)
  }

  /** Whether a request of an account that weighs so much may weigh `more` than it does. */
  mayGrow(weight: number, more: number, share: Share | undefined): boolean {
    const isAlone = this.bytes === weight
    if (!isAlone && this.bytes + more > this.limits.memoryBytes) return false
    return share === undefined || share.bytes === weight || this.#isWithinHalf(share, more)
  }

  #isWithinHalf(share: Share, more: number): boolean {
    return share.bytes === 0 || share.bytes + more <= mostPerAccount(this.limits.memoryBytes)
  }

  /** What the account takes, for as long as it is not released. */
  acquire(account: bigint): Share {
    let share = this.#shares.get(account)
    if (!share) {
      share = { account, slots: 0, bytes: 0, users: 0 }
      this.#shares.set(account, share)
    }
    share.users++
    return share
  }

  release(share: Share): void {
    if (--share.users === 0) this.#shares.delete(share.account)
  }
}

export class RunningSlot implements Slot {
  weight: number
  hasLeft = false
  readonly #of: Occupancy
  #tenant: Tenant | undefined
  #share: Share | undefined
  #isArriving = false
  #isAway = false
  #sent = Number.POSITIVE_INFINITY
  /** Of its expansion, what counts against the share of requests without a hold. */
  #unpaid = 0

  constructor(of: Occupancy, bytes: number, load: Load | undefined) {
    this.#of = of
    this.weight = bytes
    if (load) this.assign(load)
  }

  /** It is known now whose it is and what it weighs. */
  assign({ tenant, bytes, isArriving }: Load): void {
    this.#of.bytes += bytes - this.weight
    this.weight = bytes
    this.#tenant = tenant
    this.#share = this.#of.acquire(tenant.account)
    this.#share.slots++
    this.#share.bytes += bytes
    this.#isArriving = isArriving
    if (isArriving) this.#of.arriving.add(tenant, 1, bytes)
  }

  receive(sent: number, bytes: number): boolean {
    this.#sent = sent
    return bytes <= this.weight || this.#grow(bytes)
  }

  received(bytes: number): boolean {
    if (this.#sent === Number.POSITIVE_INFINITY) this.#sent = bytes
    if (bytes > this.weight && !this.#grow(bytes)) return false
    const tenant = this.#tenant
    if (!this.#isArriving || !tenant) {
      if (bytes < this.weight) this.resize(bytes)
      return true
    }
    this.#of.arriving.add(tenant, -1, -this.weight)
    this.#isArriving = false
    this.#change(bytes - this.weight)
    this.#of.onFreed()
    return true
  }

  weigh(bytes: number): boolean {
    return bytes <= this.weight || this.#grow(bytes)
  }

  paid(): void {
    this.#sent = Number.POSITIVE_INFINITY
    if (this.#unpaid === 0 || !this.#tenant) return
    this.#of.unpaid.add(this.#tenant, -1, -this.#unpaid)
    this.#unpaid = 0
  }

  resize(bytes: number): void {
    if (this.hasLeft || bytes === this.weight) return
    const isLighter = bytes < this.weight
    this.#change(bytes - this.weight)
    if (isLighter) this.#of.onFreed()
  }

  setAwaitingUpstream(isAway: boolean): void {
    if (this.hasLeft || isAway === this.#isAway) return
    this.#isAway = isAway
    this.#of.away += isAway ? 1 : -1
    if (isAway) this.#of.onFreed()
  }

  release(): void {
    if (this.hasLeft) return
    this.paid()
    this.#change(-this.weight)
    this.hasLeft = true
    const of = this.#of
    if (this.#isAway) of.away--
    of.inFlight--
    if (this.#share) {
      this.#share.slots--
      of.release(this.#share)
    }
    if (this.#isArriving && this.#tenant) of.arriving.add(this.#tenant, -1, 0)
    of.onFreed()
  }

  #grow(bytes: number): boolean {
    if (this.hasLeft) return false
    const of = this.#of
    const tenant = this.#tenant
    const more = bytes - this.weight
    if (!of.mayGrow(this.weight, more, this.#share)) return false
    if (this.#isArriving && tenant && !of.arriving.fits(tenant, 0, more, of.limits)) return false
    if (!this.#expand(Math.max(0, bytes - this.#sent - UNCOUNTED_EXPANSION))) return false
    this.#change(more)
    return true
  }

  /** What it takes beyond what was sent comes to so much. */
  #expand(unpaid: number): boolean {
    const more = unpaid - this.#unpaid
    const tenant = this.#tenant
    if (more <= 0 || !tenant) return true
    const of = this.#of
    const requests = this.#unpaid === 0 ? 1 : 0
    if (!of.unpaid.fits(tenant, requests, more, of.limits)) return false
    of.unpaid.add(tenant, requests, more)
    this.#unpaid = unpaid
    return true
  }

  #change(more: number): void {
    const of = this.#of
    this.weight += more
    of.bytes += more
    if (this.#share) this.#share.bytes += more
    if (this.#isArriving && this.#tenant) of.arriving.add(this.#tenant, 0, more)
  }
}
