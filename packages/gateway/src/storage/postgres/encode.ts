// Verbs -> the JSON that ledger_apply reads, and its rows -> results. Integers are written as bare digits: PostgreSQL
// reads them into 64-bit columns exactly, and JavaScript's JSON parser, which would round them, is not involved.
import { joinTags } from '../../money/budgets/attribution.ts'
import type { Counted, RequestVerb, Result } from '../../money/ledger.ts'
import { joinIds } from '../sql/budgets/rows.ts'
import { integer, type Row } from '../sql/rows.ts'

/** `busy`: undecided, because another transaction has locked the account. */
export type Decision = Result | 'busy'

const text = (value: string): string => JSON.stringify(value)

export const encodeBatch = (verbs: readonly RequestVerb[]): string => `[${verbs.map(encode).join(',')}]`

function encode(verb: RequestVerb, place: number): string {
  const { id, nodeId, epoch } = verb
  return `{"place":${place},"verb":"${verb.verb}","id":${id},"node_id":${nodeId},"epoch":${epoch},${particulars(verb)}}`
}

function particulars(verb: RequestVerb): string {
  switch (verb.verb) {
    case 'hold':
      return (
        `"account":${verb.account},"key":${verb.key},"amount":${verb.amount},"minimum":${verb.minimum},` +
        `"revision":${verb.revision},"extensible":${verb.extensible},"tokens":${verb.tokens},` +
        `"minimum_tokens":${verb.minimumTokens},` +
        (verb.deadline === undefined ? '' : `"deadline":${verb.deadline},`) +
        `"model":${text(verb.model)},"upstream":${text(verb.upstream)}` +
        counted(verb)
      )
    case 'extend':
      return (
        `"known":${verb.known},"amount":${verb.amount},"minimum":${verb.minimum},"progress":${verb.progress},` +
        `"extensible":${verb.whole !== true},"tokens":${verb.tokens}`
      )
    case 'settle':
      return (
        `"cost":${verb.cost},"tokens":${verb.tokens},"outcome":${text(verb.outcome)},"receipt":${text(verb.receipt)}` +
        (verb.upstream === undefined ? '' : `,"upstream":${text(verb.upstream)}`) +
        (verb.upstreamCost === undefined ? '' : `,"upstream_cost":${verb.upstreamCost}`)
      )
    case 'void':
      return `"outcome":${text(verb.outcome)},"receipt":${text(verb.receipt)}`
  }
}

/** It has budgets or an attribution. */
export const isCounted = (verb: RequestVerb): boolean =>
  verb.verb === 'hold' && (verb.budgets !== undefined || verb.attribution !== undefined)

function counted({ budgets, attribution }: Counted): string {
  const named = budgets === undefined ? '' : `,"budgets":"${joinIds(budgets)}"`
  if (attribution === undefined) return named
  const { tags, endUser, session } = attribution
  return `${named},"tags":${text(joinTags(tags))},"end_user":${text(endUser)},"session":${text(session)}`
}

/** Every verb must have a result: without one its caller would wait forever. */
export function decodeBatch(rows: readonly Row[], size: number): Decision[] {
  const decisions = new Array<Decision | undefined>(size).fill(undefined)
  for (const row of rows) decisions[Number(row.place)] = row.verdict === 'busy' ? 'busy' : toResult(row)
  return decisions.map((decision, place) => {
    if (!decision) throw new Error(`ledger_apply gave no answer for verb ${place} of ${size}`)
    return decision
  })
}

export const toResult = (row: Row): Result => ({
  verdict: row.verdict as Result['verdict'],
  tokens: Number(row.tokens ?? 0),
  amount: integer(row.amount),
  change: integer(row.change ?? 0n),
  ...optionalOf('budget', row.reached, integer),
  ...optionalOf('budgetsLeft', row.lefts, toLefts),
})

/** Most results have none. */
const optionalOf = <Name extends string, T>(name: Name, value: unknown, read: (value: unknown) => T) =>
  value === null || value === undefined ? undefined : ({ [name]: read(value) } as Record<Name, T>)

const toLefts = (lefts: unknown) =>
  String(lefts)
    .split(',')
    .map((left) => (left === '' ? undefined : BigInt(left)))
