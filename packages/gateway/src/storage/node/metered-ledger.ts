// Counts what the ledger has confirmed. Every verb of this process passes through here: so what the metrics say was
// charged equals the ledger. Also measures how long the database takes.
import type { Finish, Result, Settle, Verb } from '../../money/ledger.ts'
import { OTHER } from '../../observe/metrics/metric.ts'
import type { Metrics } from '../../observe/metrics/names.ts'
import type { Completion, Ledger } from '../storage.ts'

/**
 * What became of the end of a request that is being tried. After a lost response the ledger answers the next try with `repeated`, and
 * counting is left to that one.
 */
type Tries = {
  running: number
  /** A response was lost: that try may have taken effect. */
  isUnsure: boolean
  /** What the request was charged, as a later try was told. */
  repeated: bigint | undefined
  isCounted: boolean
}

/**
 * The most ends with a lost response that are remembered until they are tried again. Those of nodes are in the journal until then; those
 * of tasks may be ended by another process.
 */
const MOST_UNSURE = 100_000

/** A void names none. */
const NO_ONE: Partial<Pick<Settle, 'model' | 'upstream' | 'upstreamCost'>> = {}

export type CountedMoney = Pick<Metrics, 'charged' | 'cost' | 'database'>

export function meteredLedger(ledger: Ledger, metrics: CountedMoney, clock = () => performance.now()): Ledger {
  const tries = new Map<bigint, Tries>()

  function count(verb: Finish, change: bigint): void {
    const { model = OTHER, upstream = OTHER, upstreamCost } = verb.verb === 'settle' ? verb : NO_ONE
    if (change !== 0n) metrics.charged.add(change, model, upstream)
    if (upstreamCost) metrics.cost.add(upstreamCost, model, upstream)
  }

  function begin(verb: Verb): void {
    if (verb.verb !== 'settle' && verb.verb !== 'void') return
    const known = tries.get(verb.id)
    if (known) known.running += 1
    else tries.set(verb.id, { running: 1, isUnsure: false, repeated: undefined, isCounted: false })
  }

  /** `result`: undefined if none arrived. */
  function end(verb: Verb, startedAt: number, result: Result | undefined): void {
    metrics.database.observe((clock() - startedAt) / 1_000, verb.verb)
    if ((verb.verb === 'reap' || verb.verb === 'collect') && result && result.change !== 0n)
      metrics.charged.add(result.change, OTHER, OTHER)
    if (verb.verb === 'settle' || verb.verb === 'void') endTry(verb, result)
  }

  function endTry(verb: Finish, result: Result | undefined): void {
    const known = tries.get(verb.id)
    if (!known) return
    known.running -= 1
    if (!result) known.isUnsure = true
    if (result?.verdict === 'repeated') known.repeated = result.amount
    if (result?.verdict === 'done') {
      known.isCounted = true
      count(verb, result.change)
    } else if (known.isUnsure && known.repeated !== undefined && !known.isCounted) {
      known.isCounted = true
      count(verb, known.repeated)
    }
    const isRejected = result !== undefined && result.verdict !== 'done' && result.verdict !== 'repeated'
    if (known.running > 0 || (known.isUnsure && !known.isCounted && !isRejected)) return
    tries.delete(verb.id)
  }

  function forgetOldest(): void {
    const [oldest] = tries.keys()
    if (tries.size > MOST_UNSURE && oldest !== undefined) tries.delete(oldest)
  }

  async function apply(verb: Verb): Promise<Result> {
    const startedAt = clock()
    begin(verb)
    try {
      const result = await ledger.apply(verb)
      end(verb, startedAt, result)
      return result
    } catch (error) {
      end(verb, startedAt, undefined)
      forgetOldest()
      throw error
    }
  }

  /** A class, not a closure: two are created for every request. */
  class Metered implements Completion<Result> {
    readonly #verb: Verb
    readonly #waiter: Completion<Result>
    readonly #startedAt = clock()

    constructor(verb: Verb, waiter: Completion<Result>) {
      this.#verb = verb
      this.#waiter = waiter
      begin(verb)
    }

    resolve(result: Result): void {
      end(this.#verb, this.#startedAt, result)
      this.#waiter.resolve(result)
    }

    reject(error: unknown): void {
      end(this.#verb, this.#startedAt, undefined)
      forgetOldest()
      this.#waiter.reject(error)
    }
  }

  const submit = ledger.submit && {
    submit: (verb: Verb, waiter: Completion<Result>) => ledger.submit?.(verb, new Metered(verb, waiter)),
  }
  return { ...ledger, apply, ...submit }
}
