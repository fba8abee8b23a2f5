// What the main thread and the writer thread say to each other, strictly in turns.
// Verbs and their answers travel as one flat list of values: copying an object costs its names as well, each time.
import type { Result, Verb } from '../../money/ledger.ts'
import type { Statement } from '../sql/queries.ts'
import type { Row } from '../sql/rows.ts'
import type { Answer, Failure } from './transactions.ts'

export type Flat = (string | number | bigint | boolean | undefined)[]

type NameOf<V> = V extends Verb ? Exclude<keyof V, 'verb'> : never
/** The fields of each verb, in the order they travel in. */
const FIELDS: { [V in Verb as V['verb']]: readonly NameOf<V>[] } = {
  hold: ['id', 'slot', 'epoch', 'account', 'key', 'amount', 'minimum', 'model', 'upstream'],
  extend: ['id', 'slot', 'epoch', 'known', 'amount', 'minimum', 'progress'],
  settle: ['id', 'slot', 'epoch', 'cost', 'ending', 'receipt'],
  void: ['id', 'slot', 'epoch', 'ending', 'receipt'],
  reap: ['limit'],
  join: ['slot', 'config', 'takeover'],
  renew: ['slot', 'epoch', 'config'],
  leave: ['slot', 'epoch'],
}

export function flattenVerb(flat: Flat, verb: Verb): void {
  const values = verb as unknown as Record<string, Flat[number]>
  flat.push(verb.verb)
  for (const name of FIELDS[verb.verb]) flat.push(values[name] as Flat[number])
}

export function unflattenVerbs(flat: Flat): Verb[] {
  const verbs: Verb[] = []
  for (let index = 0; index < flat.length; ) {
    const name = flat[index++] as Verb['verb']
    const verb: Record<string, unknown> = { verb: name }
    for (const field of FIELDS[name]) verb[field] = flat[index++]
    verbs.push(verb as unknown as Verb)
  }
  return verbs
}

/** Two values each: the outcome and the amount, or the kind of failure and its message. */
export function flattenAnswers(answers: readonly Answer[]): Flat {
  const flat: Flat = []
  for (const answer of answers)
    if ('failure' in answer) flat.push(answer.failure, answer.message)
    else flat.push(answer.outcome, answer.amount)
  return flat
}

export function answerAt(flat: Flat, index: number): Answer | undefined {
  const [kind, value] = [flat[2 * index], flat[2 * index + 1]]
  if (typeof value === 'bigint') return { outcome: kind as Result['outcome'], amount: value }
  return typeof value === 'string' ? { failure: kind as Failure['failure'], message: value } : undefined
}

export type ToWriter =
  | { type: 'open'; file: string; busyTimeoutMs: number; now: number }
  | { type: 'verbs'; now: number; verbs: Flat }
  | { type: 'write'; statements: readonly Statement[] }
  | { type: 'close' }

export type FromWriter =
  | { type: 'opened' | 'closed' }
  | { type: 'verbs'; answers: Flat }
  | { type: 'write'; answer: Row[][] | undefined | Failure }
  | ({ type: 'failed' } & Failure)
