// A marketplace of models can answer with another than was asked for, whose price is not the one that was frozen for the request.

import type { Candidate } from '../catalogue/catalogue.ts'
import type { FailedAttempt } from './failed-attempt.ts'
import { failedByOther } from './upstream-errors.ts'

/** `answering`: the model that the response names; undefined: it names none. */
export function failedByOtherModel(
  { upstream, route }: Pick<Candidate, 'upstream' | 'route'>,
  answering: string | undefined,
): FailedAttempt | undefined {
  if (!upstream.sellsManyVendors || answering === undefined || isSameModel(route.model, answering)) return undefined
  return failedByOther('The upstream answered with another model than was asked for.')
}

/** `openai/text-embedding-3-small`, `text-embedding-3-small` and `text-embedding-3-small-2024-01-25` are one model. */
export function isSameModel(asked: string, answering: string): boolean {
  const [one, other] = [bareName(asked), bareName(answering)]
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  return long.startsWith(short) && VERSION.test(long.slice(short.length))
}

/** Without the vendor before it, and the variant behind it. */
const bareName = (id: string): string => id.toLowerCase().replace(/^.*\//, '').replace(/:.*$/, '')

/** Nothing, or a date or number of a version. */
const VERSION = /^(?:[-@.]?v?\d[\d.-]*|-latest)?$/
