// Checks a model of a service, such as embeddings, with one short real request.

import type { ServiceEndpoint, Upstream } from '../../config/types.ts'
import type { ServiceId } from '../../endpoints/index.ts'
import { type ModelType, modalityOf } from '../../modalities/index.ts'
import type { PreviewUnits } from '../../modalities/preview.ts'
import type { Nanos } from '../../money/amount.ts'
import type { AnyPrice } from '../../money/prices/price.ts'
import type { Send } from '../send.ts'
import { type Problem, type ServiceCheck, tokensOf } from './service-check.ts'
import { checksOf } from './service-checks.ts'
import { parsed, type TimedResult, timedRequest } from './timed-request.ts'

/** undefined: models of this type are none of a service, or none that can be checked. */
export const checkedService = (type: ModelType): ServiceId | undefined => {
  const { service } = modalityOf(type)
  return service !== undefined && checksOf(service).length > 0 ? service : undefined
}

/** The one that says most of a model of this type. */
export function firstCheck(type: ModelType): ServiceCheck | undefined {
  const service = checkedService(type)
  return service && checksOf(service)[0]
}

/** `problem`: what is wrong with a response that is no error. */
export async function checkService(
  send: Send,
  upstream: Upstream,
  { path, ...endpoint }: ServiceEndpoint,
  { name, type }: { name: string; type: ModelType },
  check: ServiceCheck,
): Promise<{ result: TimedResult; problem: Problem }> {
  let problem: Problem
  const body = check.body(name, { path, ...endpoint })
  const sent = body instanceof FormData ? await formOf(body) : { body: [body] }
  const result = await timedRequest(send, upstream, { path, dialect: 'chat', ...sent }, (text) => {
    const reply = parsed(text)
    problem = check.judge(reply, text)
    return { costAt: (rate) => costAt(type, rate, reportedOf(check, reply)) }
  })
  return { result, problem }
}

/** The most that a check can cost. */
export const serviceBound = (type: ModelType, { counted, most }: ServiceCheck, rate: AnyPrice): Nanos | undefined =>
  costAt(type, rate, { ...counted, ...most })

async function formOf(form: FormData) {
  const encoded = new Response(form)
  return { contentType: encoded.headers.get('content-type') ?? '', body: [await encoded.bytes()] }
}

function reportedOf({ counted, most }: ServiceCheck, reply: unknown): Readonly<Record<string, number>> {
  const tokens = Object.keys(most).join() === 'input' ? tokensOf(reply) : undefined
  return { ...counted, ...(tokens === undefined ? {} : { input: tokens }) }
}

function costAt(type: ModelType, rate: AnyPrice, units: Readonly<Record<string, number>>): Nanos | undefined {
  const { previewedUnits, preview } = modalityOf(type)
  const names: readonly string[] = previewedUnits
  const counted = Object.fromEntries(Object.entries(units).filter(([name]) => names.includes(name)))
  return preview(rate, counted as PreviewUnits)?.cost
}
