// What the main thread and the writer thread say to each other, strictly in turns.
// A batch of verbs and its answers travel as one text each, fields ended by NULs, which no field contains (sql/guard.ts):
// a text is handed over as it is, an object is taken apart and rebuilt value by value. The text of a batch may also be
// stored before its verbs are written into rows: a verb that gets another form gets another word, and what an earlier
// version stored is read as what it was decided as.
import type { Result, Verb } from '../../money/ledger.ts'
import type { Statement } from '../sql/queries.ts'
import type { Row } from '../sql/rows.ts'
import type { Answer, Failure } from './transactions.ts'

export type ToWriter =
  | { type: 'open'; file: string; busyTimeoutMs: number; now: number; deferFrom: number | undefined }
  | { type: 'write'; statements: readonly Statement[] }
  | { type: 'close' }
  /** The time and a batch of verbs. */
  | string

export type FromWriter =
  | { type: 'opened' | 'closed' }
  | { type: 'write'; answer: Row[][] | undefined | Failure }
  | ({ type: 'failed' } & Failure)
  /** The answers to a batch of verbs. */
  | string

export function encodeVerb(verb: Verb): string {
  switch (verb.verb) {
    case 'hold':
      return (
        `hold2\0${verb.id}\0${verb.slot}\0${verb.epoch}\0${verb.account}\0${verb.key}\0${verb.amount}\0${verb.minimum}\0` +
        `${verb.model}\0${verb.upstream}\0${verb.revision}\0${verb.extensible ? 1 : 0}\0${verb.tokens}\0${verb.minimumTokens}\0`
      )
    case 'extend': {
      const { id, slot, epoch, known, amount, minimum, tokens, progress } = verb
      if (verb.whole) return `extend\0${id}\0${slot}\0${epoch}\0${known}\0${amount}\0${minimum}\0${progress}\0`
      return `extend2\0${id}\0${slot}\0${epoch}\0${known}\0${amount}\0${minimum}\0${tokens}\0${progress}\0`
    }
    case 'settle':
      return (
        `settle2\0${verb.id}\0${verb.slot}\0${verb.epoch}\0${verb.cost}\0${verb.tokens}\0` +
        `${verb.ending}\0${verb.receipt}\0`
      )
    case 'void':
      return `void\0${verb.id}\0${verb.slot}\0${verb.epoch}\0${verb.ending}\0${verb.receipt}\0`
    case 'reap':
      return `reap\0${verb.limit}\0`
    case 'join':
      return `join\0${verb.slot}\0${verb.config}\0${verb.takeover === true ? 1 : 0}\0`
    case 'renew':
      return `renew\0${verb.slot}\0${verb.epoch}\0${verb.config}\0`
    case 'leave':
      return `leave\0${verb.slot}\0${verb.epoch}\0`
  }
}

export function decodeVerbs(batch: string): Verb[] {
  const fields = batch.split('\0')
  const verbs: Verb[] = []
  let index = 0
  const text = (): string => fields[index++] as string
  const big = (): bigint => BigInt(text())
  const small = (): number => Number(text())
  const owned = () => ({ id: big(), slot: small(), epoch: small() })
  // The last NUL ends a field too, so behind it is an empty one. Values are evaluated in the order they are written in.
  while (index < fields.length - 1) {
    const verb = text()
    switch (verb) {
      case 'hold':
      case 'hold2': {
        const isNew = verb === 'hold2'
        verbs.push({
          verb: 'hold',
          id: big(),
          slot: small(),
          epoch: small(),
          account: big(),
          key: big(),
          amount: big(),
          minimum: big(),
          model: text(),
          upstream: text(),
          revision: isNew ? small() : 0,
          extensible: isNew && text() === '1',
          tokens: isNew ? small() : 0,
          minimumTokens: isNew ? small() : 0,
        })
        break
      }
      case 'extend':
        verbs.push({
          ...{ verb, ...owned(), known: big(), amount: big(), minimum: big(), tokens: 0, progress: big(), whole: true },
        })
        break
      case 'extend2':
        verbs.push({
          ...{ verb: 'extend', ...owned(), known: big(), amount: big(), minimum: big(), tokens: small() },
          progress: big(),
        })
        break
      case 'settle':
      case 'settle2':
        verbs.push({
          verb: 'settle',
          id: big(),
          slot: small(),
          epoch: small(),
          cost: big(),
          tokens: verb === 'settle2' ? small() : 0,
          ending: text(),
          receipt: text(),
        })
        break
      case 'void':
        verbs.push({ verb, ...owned(), ending: text(), receipt: text() })
        break
      case 'reap':
        verbs.push({ verb, limit: small() })
        break
      case 'join':
        verbs.push({ verb, slot: small(), config: text(), takeover: text() === '1' })
        break
      case 'renew':
        verbs.push({ verb, slot: small(), epoch: small(), config: text() })
        break
      case 'leave':
        verbs.push({ verb, slot: small(), epoch: small() })
        break
      default:
        throw new Error(`not a verb: ${verb}`)
    }
  }
  return verbs
}

/** After a first field three for each: outcome, amount and tokens, or the kind of failure, marked, its message, nothing. */
export function encodeAnswers(answers: readonly Answer[], hasPending: boolean): string {
  let text = hasPending ? '1\0' : '0\0'
  for (const answer of answers)
    if ('failure' in answer) text += `!${answer.failure}\0${answer.message.replaceAll('\0', ' ')}\0\0`
    else text += `${answer.outcome}\0${answer.amount}\0${answer.tokens}\0`
  return text
}

export function decodeAnswers(text: string): { answers: Answer[]; hasPending: boolean } {
  const fields = text.split('\0')
  const answers: Answer[] = []
  for (let index = 1; index + 2 < fields.length; index += 3) {
    const [kind, value] = [fields[index] as string, fields[index + 1] as string]
    if (kind.startsWith('!')) answers.push({ failure: kind.slice(1) as Failure['failure'], message: value })
    else answers.push({ outcome: kind as Result['outcome'], amount: BigInt(value), tokens: Number(fields[index + 2]) })
  }
  return { answers, hasPending: fields[0] === '1' }
}
