// Models that say whether a text or an image is harmful: free, or priced by the request, by the text or image, or by the token.
import { fieldsOf } from '../yaml/fields.ts'
import { readInteger } from '../yaml/scalars.ts'
import { fromFirstRoute } from './known-limits.ts'
import type { Modality } from './modality.ts'
import { pricedByUnit, shownPrice, type UnitPrice, type UnitRate } from './unit-price.ts'

type ModerationFigure = 'per_request' | 'per_input' | 'input'
/** `inputs`: texts and images of one request. */
export type ModerationLimits = { inputs?: number }

/** Whatever a model's limits are. */
export const MOST_INPUTS = 2_048

export const moderation: Modality<UnitPrice<ModerationFigure>, ModerationLimits, UnitRate<ModerationFigure>, 'chat'> = {
  generates: 'moderations',
  endpoints: 'Use POST /v1/moderations.',
  dialects: ['chat'],
  service: 'moderations',
  capabilities: ['images'],
  ...pricedByUnit(['per_request', 'per_input', 'input'], 'price: { per_request: 0 }'),
  readLimits(value) {
    const fields = fieldsOf(value, { inputs: true }, 'limits: { inputs: 32 }')
    const inputs = fields?.required('inputs', readInteger({ min: 1, max: MOST_INPUTS }))
    return inputs === undefined ? undefined : { inputs }
  },
  noLimits: {},
  withKnownLimits: fromFirstRoute((known, written) => ({ ...known, ...written })),
  describe: ({ limits: { inputs } }, rate) => ({
    price: shownPrice(rate),
    limits: { inputs: inputs ?? null },
    protocols: ['moderations'],
  }),
  sandbox: { id: 'sandbox-moderation', price: { figure: 'per_request', price: 0n }, limits: {} },
}
