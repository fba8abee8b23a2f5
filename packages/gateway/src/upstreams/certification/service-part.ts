// The checks of one model of a service, such as embeddings, at an upstream.
import type { Upstream } from '../../config/types.ts'
import { serviceOf } from '../../config/upstream-dialects.ts'
import type { ServiceId } from '../../endpoints/index.ts'
import type { ModelType } from '../../modalities/index.ts'
import { checkedService, checkService, serviceBound } from '../diagnostics/check-service.ts'
import { checksOf, EMBED_CHECK } from '../diagnostics/service-checks.ts'
import { type Check, outcomeOf } from './check.ts'

/** `id`: another service than that of the model's type. */
export function servicePart(upstream: Upstream, model: { name: string; type: ModelType }, id?: ServiceId): Check[] {
  const { type, name } = model
  const service = id ?? checkedService(type)
  const endpoint = service && serviceOf(upstream, service)
  if (!endpoint || endpoint.models?.every((beginning) => !name.startsWith(beginning))) return []
  const { embed } = endpoint
  const own = checksOf(service).map((check) => [check, endpoint] as const)
  const more = embed === undefined ? [] : [[EMBED_CHECK, { ...endpoint, path: embed }] as const]
  return [...own, ...more].map(([check, asked]) => ({
    part: id ?? type,
    rows: [check.row],
    type,
    bound: (rate) => serviceBound(type, check, rate),
    async run(send) {
      const { result, problem } = await checkService(send, upstream, asked, model, check)
      return outcomeOf({ rows: [check.row] }, result, [problem], check.isOptional)
    },
  }))
}
