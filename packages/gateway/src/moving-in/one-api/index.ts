// one-api (songquanpeng): what differs from new-api, which comes from it.
import type { FoundTokens, Installation } from '../installation.ts'
import { type Channel, commonChannel, listIn, trimmed } from '../quota/channels/channel.ts'
import { ONE } from '../quota/exact.ts'
import { plainGroups } from '../quota/groups/rules.ts'
import { knownOf } from '../quota/known.ts'
import { CHANGED, NO_TOKENS } from '../quota/logs/charges.ts'
import type { LogRow } from '../quota/logs/row.ts'
import { perMillion } from '../quota/options.ts'
import type { Charge, Prices, Program } from '../quota/program.ts'
import { type ReadOptions, readInstallation } from '../quota/read.ts'
import { cell } from '../quota/reader.ts'
import { integerOf, objectOf } from '../sources/fields.ts'
import type { SourceDatabase, SourceRow } from '../sources/source-database.ts'
import known from './known.yaml' with { type: 'text' }
import { oneApiPrices } from './prices.ts'

const USUAL_RATIOS = new Map(['default', 'vip', 'svip'].map((group) => [group, ONE]))
const DELETED = 3

const PROGRAM: Program = {
  product: 'one-api',
  ...knownOf(known),
  root: { isBoundless: true, password: '123456' },
  user: (row) => ({ isDeleted: integerOf(row.status) === DELETED, createdAt: undefined }),
  token: (row) => {
    const models = trimmed(listIn(cell(row, 'models')))
    return {
      isDeleted: false,
      group: '',
      autoGroups: undefined,
      crossesGroups: false,
      // An empty list is no limit.
      models: models.length > 0 ? models : undefined,
      networks: trimmed(listIn(cell(row, 'subnet'))),
    }
  },
  groups: (options) => plainGroups(options, USUAL_RATIOS),
  prices: oneApiPrices,
  channel: oneApiChannel,
  tokens: oneApiTokens,
  charge: oneApiCharge,
}

export const SYSTEM_PROMPT = 'Here it stands before the system prompt of the request, which there it replaces.'

function oneApiChannel(row: SourceRow): Channel {
  const { common, notes } = commonChannel(row)
  const config = objectOf(row.config) ?? {}
  const field = (name: string): string => (typeof config[name] === 'string' ? config[name].trim() : '')
  const before = cell(row, 'system_prompt')
  if (before !== '') notes.push(['system_prompt', 'approximate', SYSTEM_PROMPT])
  const key = cell(row, 'key')
  const isAmazon = field('ak') !== '' && field('sk') !== ''
  return {
    ...common,
    keys: isAmazon ? [[field('ak'), field('sk'), field('region')].join('|')] : key === '' ? [] : [key],
    // All channels of one priority have the same share.
    weight: 1,
    isDotless: true,
    place: {
      apiVersion: field('api_version') || cell(row, 'other') || undefined,
      region: field('region') || undefined,
      project: field('vertex_ai_project_id') || undefined,
      credentials: field('vertex_ai_adc') || undefined,
    },
    edits: before === '' ? {} : { before },
    proxy: undefined,
    notes,
  }
}

/** Cached tokens cost as much as others, and are not in the log. */
function oneApiTokens(_: SourceRow, { prompt, completion }: LogRow): FoundTokens {
  return { ...NO_TOKENS, input: prompt, output: completion }
}

const MEDIA = 'The log does not say what of images or sound was charged.'
const RATIOS = /(\d+\.\d\d) × (\d+\.\d\d) × (\d+\.\d\d)/

/** The row has ratios of the model, the group and the output, with two decimals. */
function oneApiCharge(row: SourceRow, entry: LogRow, { options, prices }: Prices): Charge {
  const usage = oneApiTokens(row, entry)
  const now = prices(entry.model)
  const [, model, , output] = RATIOS.exec(cell(row, 'content')) ?? []
  const special =
    now?.by !== 'tokens' || model === undefined
      ? MEDIA
      : isLike(model, ratioOf(now.figures.input, perMillion(ONE, options))) &&
          isLike(output, ratioOf(now.figures.output, now.figures.input))
        ? undefined
        : CHANGED
  return { group: undefined, usage, special }
}

type Fraction = { n: bigint; d: bigint }
const ratioOf = (one: Fraction, other: Fraction): number | undefined =>
  other.n === 0n ? undefined : Number(one.n * other.d) / Number(one.d * other.n)
/** Half of the last digit, and what floating-point numbers add. */
const isLike = (shown: string | undefined, ratio: number | undefined): boolean =>
  ratio === undefined || Math.abs(Number(shown) - ratio) <= 0.005_001

export const readOneApi = (database: SourceDatabase, options: ReadOptions): Promise<Installation> =>
  readInstallation(PROGRAM, database, options)
