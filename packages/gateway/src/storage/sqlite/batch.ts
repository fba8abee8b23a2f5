// The encoding of a batch of verbs, for the writer thread and for storage before its rows are written: numbers as words of
// 64 bits, and all texts concatenated. Encoding a number as decimal text would cost more than applying the verb.
//
// This is part of the file format: the next version reads what is pending when the program stops. A verb whose form changes
// gets a new number.
import { joinTags, splitTags } from '../../money/budgets/attribution.ts'
import type { Counted, Hold, Restore, Verb } from '../../money/ledger.ts'
import { joinIds, splitIds } from '../sql/budgets/rows.ts'

export type EncodedBatch = { words: DataView; texts: string }

export const WORD = 8
const WORDS_PER_VERB = 19
/** The most bytes that `verbs` can need. */
export const roomFor = (verbs: number): number => verbs * WORDS_PER_VERB * WORD

const HOLD = 1
const EXTEND = 2
const SETTLE = 3
const VOID = 4
const REAP = 5
const JOIN = 6
const RENEW = 7
const LEAVE = 8
const ACQUIRE_LEASE = 9
const RENEW_LEASE = 10
const RELEASE_LEASE = 11
const BEGIN = 12
const RESTORE = 13
const RENEW_WITNESSED = 14
const TAKE_OVER = 15
const COLLECT = 16
const COUNTED_HOLD = 17
const COUNTED_RESTORE = 18

/** Encodes into `room`; the resulting `words` are its first part. */
export function encodeBatch(verbs: readonly Verb[], room: DataView): EncodedBatch {
  const out = new Encoder(room)
  for (const verb of verbs) encodeVerb(verb, out)
  return { words: new DataView(room.buffer, room.byteOffset, out.at), texts: out.texts }
}

function encodeVerb(verb: Verb, out: Encoder): void {
  switch (verb.verb) {
    case 'hold':
      out.owned(isCounted(verb) ? COUNTED_HOLD : HOLD, verb)
      out.big(verb.account)
      out.big(verb.key)
      out.small(verb.revision)
      out.flag(verb.extensible)
      out.big(verb.amount)
      out.big(verb.minimum)
      out.small(verb.tokens)
      out.small(verb.minimumTokens)
      out.small(verb.deadline ?? 0)
      out.text(verb.model)
      out.text(verb.upstream)
      if (isCounted(verb)) out.counted(verb)
      return
    case 'extend':
      out.owned(EXTEND, verb)
      out.big(verb.known)
      out.big(verb.amount)
      out.big(verb.minimum)
      out.small(verb.tokens)
      out.big(verb.progress)
      out.flag(verb.whole === true)
      return
    case 'settle':
      out.owned(SETTLE, verb)
      out.big(verb.cost)
      out.small(verb.tokens)
      out.text(verb.outcome)
      out.text(verb.receipt)
      out.text(verb.upstream ?? '')
      out.optional(verb.upstreamCost)
      return
    case 'void':
      out.owned(VOID, verb)
      out.text(verb.outcome)
      out.text(verb.receipt)
      return
    case 'begin':
      out.owned(BEGIN, verb)
      out.small(verb.lease)
      return
    case 'restore':
      out.owned(isCounted(verb) ? COUNTED_RESTORE : RESTORE, verb)
      out.big(verb.account)
      out.big(verb.key)
      out.text(verb.model)
      out.text(verb.upstream)
      if (isCounted(verb)) out.counted(verb)
      return
    case 'take_over':
      out.small(TAKE_OVER)
      out.big(verb.id)
      out.big(verb.by)
      return
    case 'collect':
      out.small(COLLECT)
      out.small(verb.limit)
      return
    case 'reap':
      out.small(REAP)
      out.small(verb.limit)
      return
    case 'join':
      out.small(JOIN)
      out.small(verb.nodeId)
      out.flag(verb.takeover === true)
      out.text(verb.config)
      return
    case 'renew':
      out.small(verb.witness ? RENEW_WITNESSED : RENEW)
      out.small(verb.nodeId)
      out.small(verb.epoch)
      out.text(verb.config)
      if (!verb.witness) return
      out.small(verb.witness.renewals)
      out.optional(verb.witness.ended)
      return
    case 'leave':
      out.small(LEAVE)
      out.small(verb.nodeId)
      out.small(verb.epoch)
      return
    case 'acquire_lease':
      out.small(ACQUIRE_LEASE)
      out.small(verb.ttlMs)
      out.small(verb.longestMs ?? 0)
      out.text(verb.lease)
      out.text(verb.holder)
      return
    case 'renew_lease':
      out.small(RENEW_LEASE)
      out.small(verb.epoch)
      out.small(verb.ttlMs)
      out.text(verb.lease)
      return
    case 'release_lease':
      out.small(RELEASE_LEASE)
      out.small(verb.epoch)
      out.text(verb.lease)
  }
}

export function decodeBatch({ words, texts }: EncodedBatch): Verb[] {
  const from = new Decoder(words, texts)
  const verbs: Verb[] = []
  while (from.at < words.byteLength) verbs.push(decodeVerb(from))
  return verbs
}

/** Properties are evaluated in their order in the source, which must be the order of the words. */
function decodeVerb(from: Decoder): Verb {
  const kind = from.small()
  switch (kind) {
    case HOLD:
      return holdOf(from)
    case COUNTED_HOLD:
      return { ...holdOf(from), ...from.counted() }
    case EXTEND:
      return {
        verb: 'extend',
        id: from.big(),
        nodeId: from.small(),
        epoch: from.small(),
        known: from.big(),
        amount: from.big(),
        minimum: from.big(),
        tokens: from.small(),
        progress: from.big(),
        ...(from.flag() && { whole: true }),
      }
    case SETTLE:
      return {
        verb: 'settle',
        id: from.big(),
        nodeId: from.small(),
        epoch: from.small(),
        cost: from.big(),
        tokens: from.small(),
        outcome: from.text(),
        receipt: from.text(),
        upstream: from.text() || undefined,
        upstreamCost: from.optional(),
      }
    case VOID:
      return {
        verb: 'void',
        id: from.big(),
        nodeId: from.small(),
        epoch: from.small(),
        outcome: from.text(),
        receipt: from.text(),
      }
    case BEGIN:
      return { verb: 'begin', id: from.big(), nodeId: from.small(), epoch: from.small(), lease: from.small() }
    case RESTORE:
      return restoreOf(from)
    case COUNTED_RESTORE:
      return { ...restoreOf(from), ...from.counted() }
    case TAKE_OVER:
      return { verb: 'take_over', id: from.big(), by: from.big() }
    case COLLECT:
      return { verb: 'collect', limit: from.small() }
    case REAP:
      return { verb: 'reap', limit: from.small() }
    case JOIN:
      return { verb: 'join', nodeId: from.small(), takeover: from.flag(), config: from.text() }
    case RENEW:
      return { verb: 'renew', nodeId: from.small(), epoch: from.small(), config: from.text() }
    case RENEW_WITNESSED:
      return {
        verb: 'renew',
        nodeId: from.small(),
        epoch: from.small(),
        config: from.text(),
        witness: { renewals: from.small(), ended: from.optional() },
      }
    case LEAVE:
      return { verb: 'leave', nodeId: from.small(), epoch: from.small() }
    case ACQUIRE_LEASE:
      return acquireLease(from.small(), from.small(), from.text(), from.text())
    case RENEW_LEASE:
      return { verb: 'renew_lease', epoch: from.small(), ttlMs: from.small(), lease: from.text() }
    case RELEASE_LEASE:
      return { verb: 'release_lease', epoch: from.small(), lease: from.text() }
    default:
      throw new Error(`not a verb: ${kind}`)
  }
}

const holdOf = (from: Decoder): Hold => ({
  verb: 'hold',
  id: from.big(),
  nodeId: from.small(),
  epoch: from.small(),
  account: from.big(),
  key: from.big(),
  revision: from.small(),
  extensible: from.flag(),
  amount: from.big(),
  minimum: from.big(),
  tokens: from.small(),
  minimumTokens: from.small(),
  deadline: from.small() || undefined,
  model: from.text(),
  upstream: from.text(),
})

const restoreOf = (from: Decoder): Restore => ({
  verb: 'restore',
  id: from.big(),
  nodeId: from.small(),
  epoch: from.small(),
  account: from.big(),
  key: from.big(),
  model: from.text(),
  upstream: from.text(),
})

const isCounted = ({ budgets, attribution }: Counted): boolean => budgets !== undefined || attribution !== undefined

/** `big` for amounts and ids, which are whole 64 bits; `small` for numbers below 2^53. */
class Encoder {
  at = 0
  texts = ''
  readonly #words: DataView

  constructor(words: DataView) {
    this.#words = words
  }
  big(value: bigint): void {
    this.#words.setBigInt64(this.at, value, true)
    this.at += WORD
  }
  small(value: number): void {
    this.#words.setFloat64(this.at, value, true)
    this.at += WORD
  }
  flag(value: boolean): void {
    this.small(value ? 1 : 0)
  }
  optional(value: bigint | undefined): void {
    this.flag(value !== undefined)
    this.big(value ?? 0n)
  }
  text(value: string): void {
    this.small(value.length)
    this.texts += value
  }
  counted({ budgets = [], attribution }: Counted): void {
    this.text(joinIds(budgets))
    this.text(joinTags(attribution?.tags ?? []))
    this.text(attribution?.endUser ?? '')
    this.text(attribution?.session ?? '')
  }
  owned(kind: number, { id, nodeId, epoch }: { id: bigint; nodeId: number; epoch: number }): void {
    this.small(kind)
    this.big(id)
    this.small(nodeId)
    this.small(epoch)
  }
}

class Decoder {
  at = 0
  readonly #words: DataView
  readonly #texts: string
  #read = 0

  constructor(words: DataView, texts: string) {
    this.#words = words
    this.#texts = texts
  }
  big(): bigint {
    const value = this.#words.getBigInt64(this.at, true)
    this.at += WORD
    return value
  }
  small(): number {
    const value = this.#words.getFloat64(this.at, true)
    this.at += WORD
    return value
  }
  flag(): boolean {
    return this.small() === 1
  }
  optional(): bigint | undefined {
    const isKnown = this.flag()
    const value = this.big()
    return isKnown ? value : undefined
  }
  text(): string {
    const start = this.#read
    // `| 0`: `slice` with a float would leave optimized code at every call.
    this.#read += this.small() | 0
    return this.#texts.slice(start, this.#read)
  }
  counted(): Counted {
    const [budgets, tags, endUser, session] = [this.text(), this.text(), this.text(), this.text()]
    return {
      ...(budgets === '' ? {} : { budgets: splitIds(budgets) }),
      ...(tags + endUser + session === '' ? {} : { attribution: { tags: splitTags(tags), endUser, session } }),
    }
  }
}

/** A lease of zero milliseconds does not exist. */
const acquireLease = (ttlMs: number, longestMs: number, lease: string, holder: string): Verb => ({
  verb: 'acquire_lease',
  ttlMs,
  lease,
  holder,
  ...(longestMs === 0 ? {} : { longestMs }),
})
