// Checks an upstream with one short real request per key and dialect, and one that is streamed per dialect.

import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import type { Upstream } from '../../config/types.ts'
import { dialectsFor, dialectsOf, serviceOf } from '../../config/upstream-dialects.ts'
import { DEFAULT_TYPE, MODEL_TYPES, type ModelType, modalityOf } from '../../modalities/index.ts'
import { dialectFor, upstreamOfModel } from '../endpoint.ts'
import type { Send } from '../send.ts'
import { checkedService, checkService, firstCheck, serviceBound } from './check-service.ts'
import { type Mode, type ModelCheck, type NamedModel, ruledName } from './endpoint-checks.ts'
import type { ServiceCheck } from './service-check.ts'
import { OWN_CHECKS } from './service-checks.ts'
import { parsed, type TimedResult, timedRequest } from './timed-request.ts'

/** `key`: counted from 1; null: the upstream takes none. */
export type Check = TimedResult & { key: number | null; dialect: DialectId; mode: Mode }

/** Its names at the upstream. */
export type CheckedModel = NamedModel & { type: ModelType }

/** Models of other types take too long, or cost too much. */
export const MODEL_CHECKS = Object.fromEntries(
  MODEL_TYPES.flatMap((type) => {
    const first = firstCheck(type)
    const check = OWN_CHECKS[type]?.model ?? (first && serviceCheck(type, first))
    return check ? [[type, check]] : []
  }),
) as { readonly [T in ModelType]?: ModelCheck }

function serviceCheck(type: ModelType, first: ServiceCheck): ModelCheck {
  return {
    cost: 'one short request',
    once: true,
    modes: ['service'],
    bound: (rate) => serviceBound(type, first, rate),
    async check(send, upstream, dialect, { name }) {
      const id = checkedService(type)
      const endpoint = id && serviceOf(upstream, id)
      if (!endpoint) return await checkHealthPath(send, upstream, dialect)
      const { result, problem } = await checkService(send, upstream, endpoint, { name, type }, first)
      const text = typeof problem === 'object' ? problem.absent : problem
      return text === undefined ? result : { ...result, ok: false, problem: text }
    },
  }
}

/** The type of a model that is not configured: the first that the upstream can serve. */
export const typeAt = (upstream: Upstream): ModelType =>
  MODEL_TYPES.find((type) => MODEL_CHECKS[type] && dialectFor(upstream, type)) ?? DEFAULT_TYPE

/** A call that is to be made. */
export type PlannedCheck = Pick<Check, 'key' | 'dialect' | 'mode'>

/** `model` undefined: only the URL and the keys are checked, if the upstream has a health path. */
export function plannedChecks(upstream: Upstream, model: CheckedModel | undefined): PlannedCheck[] {
  const type = model?.type ?? typeAt(upstream)
  const dialects = dialectsOfModel(model ? upstreamOfModel(upstream, ruledName(model)) : upstream, type)
  const modes: readonly Mode[] = (model && MODEL_CHECKS[type]?.modes) ?? ['health']
  const keys = upstream.keys.length > 0 ? upstream.keys.map((_, index) => index + 1) : [null]
  return keys.flatMap((key, index) =>
    (model === undefined ? dialects.slice(0, 1) : dialects).flatMap((dialect) =>
      (index === 0 ? modes : modes.slice(0, 1)).map((mode) => ({ key, dialect, mode })),
    ),
  )
}

/** One after the other, because all keys may share a rate limit. `isOver`: what is left is not called any more. */
export async function checkUpstream(
  send: Send,
  upstream: Upstream,
  model: CheckedModel | undefined,
  planned = plannedChecks(upstream, model),
  isOver = () => false,
): Promise<Check[]> {
  const checks: Check[] = []
  for (const each of planned) {
    if (isOver()) break
    const { key, dialect, mode } = each
    // A stream of what does not answer at all would fail alike.
    if (mode === 'streamed' && checks.at(-1)?.ok === false) continue
    const one = { ...upstream, keys: [key === null ? 'none' : (upstream.keys[key - 1] ?? 'none')] }
    const check = (model && mode !== 'health' && MODEL_CHECKS[model.type]?.check) || undefined
    const result = await (check && model ? check(send, one, dialect, model, mode) : checkHealthPath(send, one, dialect))
    checks.push({ ...each, ...result })
  }
  return checks
}

/** The upstream's order: those of its kind first. */
function dialectsOfModel(upstream: Upstream, type: ModelType): readonly DialectId[] {
  const { dialects } = modalityOf(type)
  const [preferred] = [dialectFor(upstream, type)]
  if (preferred !== undefined && MODEL_CHECKS[type]?.once) return [preferred]
  const served = servedDialects(upstream, type)
  return served.length > 0 ? served : dialects
}

/** Those of the kind first, and what is a service of its own last. */
export function servedDialects(upstream: Upstream, type: ModelType): readonly DialectId[] {
  const served = dialectsFor(upstream, type)
  const spoken = dialectsOf(upstream).filter((dialect) => served.includes(dialect))
  return [...spoken, ...served.filter((dialect) => !spoken.includes(dialect))]
}

async function checkHealthPath(send: Send, upstream: Upstream, dialect: Check['dialect']): Promise<TimedResult> {
  const path = upstream.healthPath ?? ''
  const outgoing = { method: 'GET' as const, path, body: [], dialect }
  // A web page has status 200, too.
  return await timedRequest(send, upstream, outgoing, (text) => {
    const value = parsed(text)
    if (typeof value === 'object' && value !== null) return {}
    return { problem: `the response is not in the ${dialect} dialect; is base_url right? ${path} is not JSON.` }
  })
}
