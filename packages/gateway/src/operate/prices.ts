// How the configured prices differ from the vendors' public ones.

import { NOTHING } from '../request/schema/schema.ts'
import { readPriceList } from '../upstreams/prices/price-list.ts'
import { compareWithList } from '../upstreams/prices/price-report.ts'
import { operation } from './operation.ts'

export const reportPrices = operation({
  name: 'prices diff',
  permission: 'see',
  input: NOTHING,
  run: async ({ config }) => compareWithList(config, readPriceList()),
})
