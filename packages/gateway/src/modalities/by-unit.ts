// The modality of models that are sold by one unit, made of what their endpoint declares.
import type { Endpoint, UnitModels } from '../endpoints/endpoint.ts'
import type { ServiceId } from '../endpoints/index.ts'
import { fieldsOf } from '../yaml/fields.ts'
import { readInteger } from '../yaml/scalars.ts'
import { fromFirstRoute } from './known-limits.ts'
import type { Modality } from './modality.ts'
import { type Figure, pricedByUnit, shownPrice, type UnitPrice, type UnitRate } from './unit-price.ts'

export type UnitEndpoint<F extends Figure, L extends string> = Omit<Endpoint, 'figures' | 'models' | 'services'> & {
  services: { readonly [Id in ServiceId]?: string }
  figures: { usual: readonly F[]; all: readonly F[] }
  models: Omit<UnitModels, 'limits'> & { limits: Readonly<Record<L, number>> }
}

type Limits<L extends string> = { [Name in L]?: number }

export type UnitModality<E> =
  E extends UnitEndpoint<infer F, infer L> ? Modality<UnitPrice<F>, Limits<L>, UnitRate<F>, 'chat'> : never

export function modalityByUnit<F extends Figure, L extends string>({
  services,
  figures,
  models,
}: UnitEndpoint<F, L>): Modality<UnitPrice<F>, Limits<L>, UnitRate<F>, 'chat'> {
  const [service] = Object.keys(services) as ServiceId[]
  const [figure] = figures.all
  const names = Object.keys(models.limits) as L[]
  if (service === undefined || figure === undefined) throw new Error('an endpoint without a service or a price')
  const { sandbox, examples } = models
  return {
    generates: models.generates,
    endpoints: models.where,
    dialects: ['chat'],
    service,
    capabilities: models.capabilities ?? [],
    ...pricedByUnit(figures.all, examples.price),
    readLimits(value) {
      const fields = fieldsOf(value, Object.fromEntries(names.map((name) => [name, true as const])), examples.limits)
      const read = names.map((name) => [
        name,
        fields?.required(name, readInteger({ min: 1, max: models.limits[name] })),
      ])
      return read.some(([, most]) => most === undefined) ? undefined : (Object.fromEntries(read) as Limits<L>)
    },
    noLimits: {},
    withKnownLimits: fromFirstRoute((known, written) => ({ ...known, ...written })),
    describe: ({ limits }, rate) => ({
      price: shownPrice(rate),
      limits: Object.fromEntries(names.map((name) => [name, limits[name] ?? null])),
      protocols: [service],
    }),
    sandbox: {
      id: sandbox.id,
      price: { figure, price: BigInt(sandbox.nanos) },
      limits: (sandbox.limits ?? {}) as Limits<L>,
    },
  }
}
