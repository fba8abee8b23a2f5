// Counts what the ledger has confirmed. Every verb of this process is counted here, by the settler or by `over`: so what the metrics
// say was charged equals the ledger. Also measures how long the database takes.
import type { Finish, Result, Settle, Verb } from '../../money/ledger.ts'
import { OTHER } from '../../observe/metrics/metric.ts'
import type { Metrics } from '../../observe/metrics/names.ts'
import type { Ledger } from '../storage.ts'

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

const isFinish = (verb: Verb): verb is Finish => verb.verb === 'settle' || verb.verb === 'void'

export class LedgerCounts {
  readonly #metrics: Pick<Metrics, 'charged' | 'cost' | 'database'>
  readonly #tries = new Map<bigint, Tries>()

  constructor(metrics: Pick<Metrics, 'charged' | 'cost' | 'database'>) {
    this.#metrics = metrics
  }

  /** A verb is sent. Gives the time, which `ended` needs. */
  begun(verb: Verb): number {
    if (isFinish(verb)) {
      const known = this.#tries.get(verb.id)
      if (known) known.running += 1
      else this.#tries.set(verb.id, { running: 1, isUnsure: false, repeated: undefined, isCounted: false })
    }
    return performance.now()
  }

  /** `result`: undefined if none arrived. */
  ended(verb: Verb, begunAt: number, result: Result | undefined): void {
    const { database, charged } = this.#metrics
    database.observe((performance.now() - begunAt) / 1_000, verb.verb)
    if (isFinish(verb)) this.#endTry(verb, result)
    else if ((verb.verb === 'reap' || verb.verb === 'collect') && result && result.change !== 0n)
      charged.add(result.change, OTHER, OTHER)
    if (!result) this.#forgetOldest()
  }

  /** The ledger for all that wait for promises. The settler submits its verbs, and reports them itself. */
  over(ledger: Ledger): Ledger {
    const apply = async (verb: Verb): Promise<Result> => {
      const begunAt = this.begun(verb)
      let result: Result | undefined
      try {
        result = await ledger.apply(verb)
        return result
      } finally {
        this.ended(verb, begunAt, result)
      }
    }
    return { ...ledger, apply }
  }

  #endTry(verb: Finish, result: Result | undefined): void {
    const known = this.#tries.get(verb.id)
    if (!known) return
    known.running -= 1
    if (!result) known.isUnsure = true
    if (result?.verdict === 'repeated') known.repeated = result.amount
    if (result?.verdict === 'done') {
      known.isCounted = true
      this.#count(verb, result.change)
    } else if (known.isUnsure && known.repeated !== undefined && !known.isCounted) {
      known.isCounted = true
      this.#count(verb, known.repeated)
    }
    const isRejected = result !== undefined && result.verdict !== 'done' && result.verdict !== 'repeated'
    if (known.running > 0 || (known.isUnsure && !known.isCounted && !isRejected)) return
    this.#tries.delete(verb.id)
  }

  #count(verb: Finish, change: bigint): void {
    const { charged, cost } = this.#metrics
    const { model = OTHER, upstream = OTHER, upstreamCost } = verb.verb === 'settle' ? verb : NO_ONE
    if (change !== 0n) charged.add(change, model, upstream)
    if (upstreamCost) cost.add(upstreamCost, model, upstream)
  }

  #forgetOldest(): void {
    const [oldest] = this.#tries.keys()
    if (this.#tries.size > MOST_UNSURE && oldest !== undefined) this.#tries.delete(oldest)
  }
}
