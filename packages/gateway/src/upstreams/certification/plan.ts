// All checks of an upstream, in parts that are run one after the other.
import type { Upstream } from '../../config/types.ts'
import { serviceOf } from '../../config/upstream-dialects.ts'
import { endpointOf, type ServiceId } from '../../endpoints/index.ts'
import { type ModelType, modalityOf } from '../../modalities/index.ts'
import { checkedService, checkService, serviceBound } from '../diagnostics/check-service.ts'
import { servedDialects } from '../diagnostics/check-upstream.ts'
import { type CertifiedModel, ruledName } from '../diagnostics/endpoint-checks.ts'
import { listUpstreamModels } from '../diagnostics/list-models.ts'
import { checksOf, OWN_CHECKS } from '../diagnostics/service-checks.ts'
import { upstreamOfModel } from '../endpoint.ts'
import { type Check, outcomeOf } from './check.ts'

/** Types without a check are not certified: they take too long, or cost too much. */
export const isCertified = (type: ModelType): boolean =>
  OWN_CHECKS[type]?.certified !== undefined || checkedService(type) !== undefined

export const plannedChecks = (upstream: Upstream, models: readonly CertifiedModel[]): Check[] => [
  modelList(),
  ...models.flatMap((model) => [
    ...(OWN_CHECKS[model.type]?.certified?.(
      upstream,
      model,
      servedDialects(upstreamOfModel(upstream, ruledName(model)), model.type),
    ) ?? []),
    ...(Object.keys(endpointOf(model.type).services ?? {}) as ServiceId[]).flatMap((id) =>
      servicePart(upstream, model, id),
    ),
  ]),
]

function modelList(): Check {
  const rows = ['models list'] as const
  return {
    part: 'upstream',
    rows,
    async run(send, upstream) {
      const from = performance.now()
      const listed = await listUpstreamModels(send, upstream)
      const latency_ms = Math.round(performance.now() - from)
      const failed = 'problem' in listed ? listed : { status: 200, problem: null }
      const result = { ok: failed.problem === null, answer: null, latency_ms, ...failed }
      // Names of models that were made for one customer are in it.
      return { ...outcomeOf({ rows }, result, [], true), isUnfit: true as const }
    },
  }
}

function servicePart(upstream: Upstream, model: CertifiedModel, service: ServiceId): Check[] {
  const { type, name } = model
  const endpoint = serviceOf(upstream, service)
  if (!endpoint || endpoint.models?.every((beginning) => !ruledName(model).startsWith(beginning))) return []
  const { embed } = endpoint
  const own = checksOf(service).map((check) => [check, endpoint] as const)
  const more =
    embed === undefined ? [] : checksOf('embed').map((check) => [check, { ...endpoint, path: embed }] as const)
  return [...own, ...more].map(([check, asked]) => ({
    part: service === modalityOf(type).service ? type : service,
    rows: [check.row],
    type,
    bound: (rate) => serviceBound(type, check, rate),
    async run(send) {
      const { result, problem } = await checkService(send, upstream, asked, { name, type }, check)
      return outcomeOf({ rows: [check.row] }, result, [problem], check.isOptional)
    },
  }))
}
