// new-api (QuantumNous): what differs from one-api, which it comes from.
import type { Installation } from '../installation.ts'
import { linesIn, listIn, trimmed } from '../quota/channels/channel.ts'
import { knownOf } from '../quota/known.ts'
import type { Program, TokenTerms } from '../quota/program.ts'
import { type ReadOptions, readInstallation } from '../quota/read.ts'
import { cell, timeIn } from '../quota/reader.ts'
import { booleanOf, listOf } from '../sources/fields.ts'
import type { SourceDatabase, SourceRow } from '../sources/source-database.ts'
import { newApiChannel } from './channels.ts'
import { newApiCharge, newApiTokens } from './charges.ts'
import { newApiGroups } from './groups.ts'
import known from './known.yaml' with { type: 'text' }
import { newApiPrices } from './prices.ts'

const isDeleted = (row: SourceRow): boolean => cell(row, 'deleted_at') !== ''

const PROGRAM: Program = {
  product: 'new-api',
  ...knownOf(known),
  root: { isBoundless: false, password: undefined },
  user: (row) => ({ isDeleted: isDeleted(row), createdAt: timeIn(row, 'created_at') }),
  token: tokenTerms,
  groups: newApiGroups,
  prices: newApiPrices,
  channel: newApiChannel,
  tokens: newApiTokens,
  charge: newApiCharge,
}

function tokenTerms(row: SourceRow): TokenTerms {
  const isLimited = booleanOf(row.model_limits_enabled) === true
  const auto = cell(row, 'auto_groups')
  const own = auto.startsWith('[') ? (listOf(auto) ?? []) : trimmed(listIn(auto))
  return {
    isDeleted: isDeleted(row),
    group: cell(row, 'group'),
    autoGroups: own.length > 0 ? own : undefined,
    crossesGroups: booleanOf(row.cross_group_retry) === true,
    // An empty list lets no model be called.
    models: isLimited ? trimmed(listIn(cell(row, 'model_limits'))) : undefined,
    networks: linesIn(cell(row, 'allow_ips').replaceAll(',', '\n')),
  }
}

export const readNewApi = (database: SourceDatabase, options: ReadOptions): Promise<Installation> =>
  readInstallation(PROGRAM, database, options)
