// The checks of one model of a service, such as embeddings, at an upstream.
import type { Upstream } from '../../config/types.ts'
import { serviceOf } from '../../config/upstream-dialects.ts'
import type { ModelType } from '../../modalities/index.ts'
import { checkedService, checkService, serviceBound } from '../diagnostics/check-service.ts'
import { SERVICE_CHECKS } from '../diagnostics/service-checks.ts'
import { type Check, outcomeOf } from './check.ts'

export function servicePart(upstream: Upstream, model: { name: string; type: ModelType }): Check[] {
  const { type } = model
  const id = checkedService(type)
  const endpoint = id && serviceOf(upstream, id)
  if (!endpoint) return []
  return (SERVICE_CHECKS[id] ?? []).map((check) => ({
    part: type,
    rows: [check.row],
    type,
    bound: (rate) => serviceBound(type, check, rate),
    async run(send) {
      const { result, problem } = await checkService(send, upstream, endpoint, model, check)
      return outcomeOf({ rows: [check.row] }, result, [problem], check.isOptional)
    },
  }))
}
