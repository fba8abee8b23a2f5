// Models that order documents by how well they answer a query, priced by the search, by the token or by the document.
import { NANOS_PER_USD } from '../money/amount.ts'
import { fieldsOf } from '../yaml/fields.ts'
import { readInteger } from '../yaml/scalars.ts'
import { fromFirstRoute } from './known-limits.ts'
import type { Modality } from './modality.ts'
import { pricedByUnit, shownPrice, type UnitPrice, type UnitRate } from './unit-price.ts'

type RerankFigure = 'per_search' | 'input' | 'per_thousand_documents'
/** `documents`: of one request. */
export type RerankLimits = { documents?: number }

/** What no vendor takes, whatever a model's limits are. */
export const MOST_DOCUMENTS = 10_000

export const rerank: Modality<UnitPrice<RerankFigure>, RerankLimits, UnitRate<RerankFigure>, 'chat'> = {
  generates: 'rankings',
  endpoints: 'Use POST /v1/rerank or POST /v2/rerank.',
  dialects: ['chat'],
  service: 'rerank',
  capabilities: [],
  ...pricedByUnit(['per_search', 'input', 'per_thousand_documents'], 'price: { per_search: 0.002 }'),
  readLimits(value) {
    const fields = fieldsOf(value, { documents: true }, 'limits: { documents: 1000 }')
    const documents = fields?.required('documents', readInteger({ min: 1, max: MOST_DOCUMENTS }))
    return documents === undefined ? undefined : { documents }
  },
  noLimits: {},
  withKnownLimits: fromFirstRoute((known, written) => ({ ...known, ...written })),
  describe: ({ limits: { documents } }, rate) => ({
    price: shownPrice(rate),
    limits: { documents: documents ?? null },
    protocols: ['rerank'],
  }),
  sandbox: {
    id: 'sandbox-rerank',
    price: { figure: 'per_search', price: NANOS_PER_USD / 500n },
    limits: { documents: 1_000 },
  },
}
