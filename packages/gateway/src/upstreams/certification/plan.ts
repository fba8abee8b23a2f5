// All checks of an upstream, in parts that are run one after the other.
import type { ImageDialectId } from '@trivium/protocol/dialects/image-services.ts'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import type { Upstream } from '../../config/types.ts'
import { serviceOf } from '../../config/upstream-dialects.ts'
import { checkImages, imageBound } from '../../endpoints/images/checks.ts'
import type { ImageRate } from '../../endpoints/images/modality/price.ts'
import type { ServiceId } from '../../endpoints/index.ts'
import type { ModelType } from '../../modalities/index.ts'
import type { Capability } from '../../modalities/modality.ts'
import type { AnyPrice } from '../../money/prices/price.ts'
import { checkedService, checkService, serviceBound } from '../diagnostics/check-service.ts'
import { servedDialects } from '../diagnostics/check-upstream.ts'
import { listUpstreamModels } from '../diagnostics/list-models.ts'
import { checksOf } from '../diagnostics/service-checks.ts'
import { dialectFor } from '../endpoint.ts'
import { type Check, outcomeOf } from './check.ts'
import { textPart } from './text-parts.ts'

/** `name`: at the upstream. `capabilities`, `rate`: absent: not known. */
export type CertifiedModel = {
  name: string
  type: ModelType
  capabilities?: readonly Capability[] | undefined
  rate?: AnyPrice | undefined
}

/** The checks of models of each type. Types that are not here are not certified: they take too long, or cost too much. */
const PARTS: Readonly<Partial<Record<ModelType, (upstream: Upstream, model: CertifiedModel) => Check[]>>> = {
  text: (upstream, model) => [
    ...servedDialects(upstream, 'text').flatMap((dialect) => textPart(upstream, dialect as TextDialectId, model)),
    ...servicePart(upstream, model, 'completions'),
  ],
  image: imagePart,
}

export const isCertified = (type: ModelType): boolean => PARTS[type] !== undefined || checkedService(type) !== undefined

export const plannedChecks = (upstream: Upstream, models: readonly CertifiedModel[]): Check[] => [
  modelList(),
  ...models.flatMap((model) => PARTS[model.type]?.(upstream, model) ?? servicePart(upstream, model)),
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

function imagePart(upstream: Upstream, { name }: CertifiedModel): Check[] {
  const dialect = dialectFor(upstream, 'image') as ImageDialectId | undefined
  const rows = ['image'] as const
  if (!dialect) return []
  return [
    {
      part: 'image',
      rows,
      type: 'image',
      bound: (rate) => imageBound(rate as ImageRate),
      run: async (send) => ({
        ...outcomeOf({ rows }, await checkImages(send, upstream, dialect, name), []),
        isUnfit: true as const,
      }),
    },
  ]
}

/** `id`: another service than that of the model's type. */
function servicePart(upstream: Upstream, model: { name: string; type: ModelType }, id?: ServiceId): Check[] {
  const { type, name } = model
  const service = id ?? checkedService(type)
  const endpoint = service && serviceOf(upstream, service)
  if (!endpoint || endpoint.models?.every((beginning) => !name.startsWith(beginning))) return []
  const { embed } = endpoint
  const own = checksOf(service).map((check) => [check, endpoint] as const)
  const more =
    embed === undefined ? [] : checksOf('embed').map((check) => [check, { ...endpoint, path: embed }] as const)
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
