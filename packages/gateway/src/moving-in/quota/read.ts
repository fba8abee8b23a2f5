// Reads an installation of new-api or one-api. What both have alike is here and beside it; what differs is in their `Program`.
import { createFindings } from '../findings.ts'
import type { FoundConfiguration, Installation } from '../installation.ts'
import { booleanOf, textOf } from '../sources/fields.ts'
import type { SourceDatabase } from '../sources/source-database.ts'
import type { Channel } from './channels/channel.ts'
import { readChannels, type Served } from './channels/models.ts'
import type { Kinds } from './channels/places.ts'
import { readCodes } from './codes.ts'
import { reportedRows, reportTables } from './columns.ts'
import { readCredits } from './credits.ts'
import { type GroupPlan, planGroups } from './groups/plan.ts'
import { readCaps, readKeys, readTokens } from './keys.ts'
import { readCharges } from './logs/charges.ts'
import { type KeyNames, readUsage } from './logs/usage.ts'
import { readOptions } from './options.ts'
import { readAccounts, readPeople, readUsers } from './people.ts'
import type { Program } from './program.ts'
import type { Reader, Users } from './reader.ts'
import { readSettings } from './settings.ts'

export type ReadOptions = {
  /** The kinds of upstreams: what they serve decides which routes are possible. */
  kinds: Kinds
  now: number
  /** As it was detected. */
  version: string
}

/** Configuration, people and keys are looked through once before the first stream is read. */
export async function readInstallation(
  program: Program,
  database: SourceDatabase,
  { kinds, now, version }: ReadOptions,
): Promise<Installation> {
  const findings = createFindings()
  await reportTables(database, program.tables, findings)
  const options = await readOptions(database, program.options, findings)
  const reader: Reader = { program, database, options, findings, now }
  const prices = program.prices(options)
  const rules = program.groups(options)
  const plan = planGroups(rules, findings)
  const channels: Channel[] = []
  for await (const row of reportedRows(database, 'channels', { tables: program.tables, findings })) {
    channels.push(program.channel(row))
  }
  const served = readChannels(channels, { types: program.channelTypes, prices, kinds, findings })
  const users = await readUsers(reader)
  const keys = await readKeyNames(reader, users, plan)
  const credits = await readCredits(reader)
  for (const group of new Set(users.groups.values())) plan.choices(group)
  await checkAbilities(reader, channels, served)
  const configuration: FoundConfiguration = {
    upstreams: served.upstreams,
    models: served.models,
    groups: plan.entries(served.serves, served.priceOf),
    settings: readSettings(options, findings),
  }
  return {
    product: program.product,
    version,
    findings,
    configuration,
    people: () => readPeople(reader),
    accounts: () => readAccounts(reader, plan, credits),
    keys: () => readKeys(reader, users, plan),
    budgets: () => readCaps(reader, users),
    codes: () => readCodes(reader),
    usage: () => readUsage(reader, users, keys),
    charges: (most) => readCharges(reader, { users, plan, prices, rules, most }),
  }
}

async function readKeyNames(reader: Reader, users: Users, plan: GroupPlan): Promise<KeyNames> {
  const ids = new Set<number>()
  const byName = new Map<string, number | undefined>()
  for await (const { id, user, row } of readTokens(reader, users, true)) {
    ids.add(id)
    const name = `${user}/${textOf(row.name) ?? ''}`
    byName.set(name, byName.has(name) ? undefined : id)
    plan.ofKey(users.groups.get(user) ?? 'default', reader.program.token(row))
  }
  return { ids, byName }
}

export const NOT_THERE =
  'That program serves it there and this configuration does not: the channel was changed in another way than by it.'

/** What the program has made of its channels has to be what is made of them here. */
async function checkAbilities(
  { database, findings }: Reader,
  channels: readonly Channel[],
  served: Served,
): Promise<void> {
  const models = new Set(served.models.map(({ id }) => id))
  const byId = new Map(channels.map((channel) => [channel.id, channel]))
  for await (const row of database.rows('abilities', ['group', 'model', 'channel_id'])) {
    const [group = '', model = ''] = [textOf(row.group)?.trim(), textOf(row.model)?.trim()]
    const channel = byId.get(Number(textOf(row.channel_id)))
    // What is left out of the channel has been said.
    if (booleanOf(row.enabled) !== true || model === '' || (channel && !models.has(model))) continue
    if (!channel || !served.has(group, model, channel.id)) {
      findings.add('abilities', 'manual', NOT_THERE, `${group} ${model} channels ${textOf(row.channel_id)}`)
    }
  }
}
