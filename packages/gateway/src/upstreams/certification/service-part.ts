// The checks of one model of a service, such as embeddings, at an upstream.
import type { ServiceId } from '@trivium/protocol/dialects/services.ts'
import type { Upstream } from '../../config/types.ts'
import { serviceOf } from '../../config/upstream-dialects.ts'
import { type ModelType, modalityOf } from '../../modalities/index.ts'
import type { PreviewUnits } from '../../modalities/preview.ts'
import type { Nanos } from '../../money/amount.ts'
import type { AnyPrice } from '../../money/prices/price.ts'
import { parsed, timedRequest } from '../diagnostics/timed-request.ts'
import { type Check, outcomeOf, type Problem } from './check.ts'
import { SERVICE_CHECKS, type ServiceCheck, tokensOf } from './service-checks.ts'

/** undefined: models of this type are none of a service, or none that can be checked. */
export const checkedService = (type: ModelType): ServiceId | undefined => {
  const { service } = modalityOf(type)
  return service !== undefined && SERVICE_CHECKS[service] ? service : undefined
}

export function servicePart(upstream: Upstream, { name, type }: { name: string; type: ModelType }): Check[] {
  const id = checkedService(type)
  const endpoint = id && serviceOf(upstream, id)
  if (!endpoint) return []
  return (SERVICE_CHECKS[id] ?? []).map((check) => ({
    part: type,
    rows: [check.row],
    type,
    bound: (rate) => costAt(type, rate, { ...check.counted, ...check.most }),
    async run(send) {
      let problem: Problem
      const body = check.body(name, endpoint)
      const sent = body instanceof FormData ? await formOf(body) : { body: [body] }
      const outgoing = { path: endpoint.path, dialect: 'chat' as const, ...sent }
      const result = await timedRequest(send, upstream, outgoing, (text) => {
        const reply = parsed(text)
        problem = check.judge(reply, text)
        return { costAt: (rate) => costAt(type, rate, reportedOf(check, reply)) }
      })
      return outcomeOf({ rows: [check.row] }, result, [problem], check.isOptional)
    },
  }))
}

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
