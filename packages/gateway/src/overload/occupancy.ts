// Slots and memory of the running requests, in total and by account. admission.ts queues requests for them.
import { BoundedShare, type Limits, type Tenant } from '../sharing/bounded-share.ts'
import { mayTake, mostPerAccount } from '../sharing/fair-share.ts'
import { createThreadTime, inProcess, type ThreadTime, type Waiter } from './thread-time.ts'

/** A request as admission control sees it. */
export type Load = {
  tenant: Tenant
  /** Its memory now: of a body that is still arriving, what may have arrived. */
  bytes: number
  isArriving: boolean
}

/** A slot among the running requests. */
export type Slot = {
  /** The memory that it counts with now. */
  readonly weight: number
  /** `sent` bytes of the body have arrived and occupy `bytes` after decoding. false: memory is exhausted; the request must end. */
  receive(sent: number, bytes: number): boolean
  /** The whole body has arrived and occupies so many bytes. false: as above. */
  received(bytes: number): boolean
  /** The memory of the request once its body has been parsed. false: as above, and always beyond the limit of memory. */
  weigh(bytes: number): boolean
  /** The request needs so many bytes more than until now. false: as above. */
  grow(bytes: number): boolean
  /** The hold has been placed: its memory is paid for. */
  paid(): void
  /** The memory of the request from now on, for example because its body has been released. */
  resize(bytes: number): void
  /** Whether the request waits for its upstream, and needs no CPU. */
  setAwaitingUpstream(isAway: boolean): void
  /** See `ThreadTime`: `bytes` of the request are about to be parsed; 0: it is about to be read. */
  turn(bytes: number, client: Waiter): Promise<void> | undefined
  /** Runs what takes long on the main thread and does not wait, at the expense of the account. */
  run<T>(work: () => T): T
  /** Charges milliseconds of the main thread that were not measured. */
  charge(ms: number): void
  /** Has no effect if called again. */
  release(): void
}

/** Shares of bodies that are still arriving: slow uploads occupy slots and memory while no work is done. */
const ARRIVING = { all: 3 / 4, account: 3 / 8, key: 1 / 4 }
/** Shares of memory beyond the sent size, by decoding and parsing, of requests without a hold: it costs the caller nothing. */
const UNPAID = { all: 1 / 8, account: 1 / 16, key: 1 / 16 }
/** Expansion up to this is not counted. */
const UNCOUNTED_EXPANSION = 1024 * 1024

/** Slots and memory of one account. */
export type Share = {
  readonly account: bigint
  slots: number
  bytes: number
  /** References to this object, by running and queued requests. */
  users: number
}

export class Occupancy {
  inFlight = 0
  /** Running requests that wait for their upstream. */
  away = 0
  bytes = 0
  limits: Limits
  readonly arriving = new BoundedShare(ARRIVING)
  readonly unpaid = new BoundedShare(UNPAID)
  /** Called when a queued request may fit. */
  readonly onFreed: () => void
  readonly threadTime: ThreadTime
  readonly #shares = new Map<bigint, Share>()

  constructor(limits: Limits, clock: () => number, onFreed: () => void) {
    this.limits = limits
    this.onFreed = onFreed
    this.threadTime = createThreadTime(inProcess((account) => this.inFlight > this.slotsOf(account), clock))
  }

  slotsOf(account: bigint): number {
    return this.#shares.get(account)?.slots ?? 0
  }

  /** Whether a slot and memory are free, for any account. A body larger than the whole memory is admitted alone. */
  hasRoom(bytes: number): boolean {
    const { inFlight, memoryBytes } = this.limits
    return this.inFlight < inFlight && (this.bytes === 0 || this.bytes + bytes <= memoryBytes)
  }

  /** Whether the account may take one more. `taken`: slots in use, without the one that is about to be given to it. */
  isEntitled({ tenant, bytes, isArriving }: Load, taken = this.inFlight): boolean {
    const share = this.#shares.get(tenant.account)
    if (!mayTake(share?.slots ?? 0, taken, this.limits.inFlight)) return false
    if (share && !this.#isWithinHalf(share, bytes)) return false
    return !isArriving || this.arriving.fits(tenant, 1, bytes, this.limits)
  }

  /** Without a load for an unread request, whose account is not known yet: see `RunningSlot.assign`. */
  take(bytes: number, load?: Load): RunningSlot {
    this.inFlight++
    this.bytes += bytes
    return new RunningSlot(this, bytes, load)
  }

  /** Whether a request of this weight may grow by `more` bytes. The only request of an account may take all of the memory that is free. */
  mayGrow(weight: number, more: number, share: Share | undefined): boolean {
    if (this.bytes + more > this.limits.memoryBytes) return false
    return share === undefined || share.bytes === weight || this.#isWithinHalf(share, more)
  }

  #isWithinHalf(share: Share, more: number): boolean {
    return share.bytes === 0 || share.bytes + more <= mostPerAccount(this.limits.memoryBytes)
  }

  /** The share of the account; to be released. */
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
  isReleased = false
  readonly #of: Occupancy
  #tenant: Tenant | undefined
  #share: Share | undefined
  #isArriving = false
  #isAway = false
  #sent = Number.POSITIVE_INFINITY
  /** The part of its expansion that counts against the share of requests without a hold. */
  #unpaid = 0

  constructor(of: Occupancy, bytes: number, load: Load | undefined) {
    this.#of = of
    this.weight = bytes
    if (load) this.assign(load)
  }

  /** Sets the account and the weight, once they are known. */
  assign({ tenant, bytes, isArriving }: Load): void {
    this.#of.bytes += bytes - this.weight
    this.weight = bytes
    this.#tenant = tenant
    this.#of.threadTime.seen(tenant.account)
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

  grow(bytes: number): boolean {
    return bytes <= 0 || this.#grow(this.weight + bytes)
  }

  paid(): void {
    this.#sent = Number.POSITIVE_INFINITY
    if (this.#unpaid === 0 || !this.#tenant) return
    this.#of.unpaid.add(this.#tenant, -1, -this.#unpaid)
    this.#unpaid = 0
  }

  resize(bytes: number): void {
    if (this.isReleased || bytes === this.weight) return
    const isLighter = bytes < this.weight
    this.#change(bytes - this.weight)
    if (isLighter) this.#of.onFreed()
  }

  setAwaitingUpstream(isAway: boolean): void {
    if (this.isReleased || isAway === this.#isAway) return
    this.#isAway = isAway
    this.#of.away += isAway ? 1 : -1
    if (isAway) this.#of.onFreed()
  }

  turn(bytes: number, client: Waiter): Promise<void> | undefined {
    return this.#tenant && this.#of.threadTime.turn(this.#tenant.account, bytes, client)
  }

  run<T>(work: () => T): T {
    return this.#tenant ? this.#of.threadTime.run(this.#tenant.account, work) : work()
  }

  charge(ms: number): void {
    if (this.#tenant) this.#of.threadTime.charge(this.#tenant.account, ms)
  }

  release(): void {
    if (this.isReleased) return
    this.paid()
    this.#change(-this.weight)
    this.isReleased = true
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
    if (this.isReleased) return false
    const of = this.#of
    const tenant = this.#tenant
    const more = bytes - this.weight
    if (!of.mayGrow(this.weight, more, this.#share)) return false
    if (this.#isArriving && tenant && !of.arriving.fits(tenant, 0, more, of.limits)) return false
    if (!this.#expand(Math.max(0, bytes - this.#sent - UNCOUNTED_EXPANSION))) return false
    this.#change(more)
    return true
  }

  /** Sets the expansion beyond the sent size. */
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
