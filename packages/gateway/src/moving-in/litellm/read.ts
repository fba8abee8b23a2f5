// Reads an installation of LiteLLM: its database, its configuration file, and the prices that it had.
import { createFindings } from '../findings.ts'
import type { Installation } from '../installation.ts'
import { isObject, jsonOf } from '../sources/fields.ts'
import { type SourceDatabase, SourceError } from '../sources/source-database.ts'
import { readBudgets } from './budgets.ts'
import { type Environment, readConfig } from './config.ts'
import { decryptWith } from './decrypt.ts'
import { type Context, readDirectory } from './directory.ts'
import { readKeys } from './keys.ts'
import { reportSchema } from './known.ts'
import type { PriceMap } from './model-prices.ts'
import { readModels } from './models.ts'
import { readAccounts, readPeople } from './people.ts'
import { readCharges, readUsage } from './usage.ts'

export type LitellmFiles = {
  /** The text of config.yaml. */
  config?: string | undefined
  /** The text of model_prices_and_context_window.json of the old installation. */
  priceMap?: string | undefined
  /** LITELLM_SALT_KEY. By default that of the environment, else the master key. */
  saltKey?: string | undefined
  environment: Environment
}

/** `now`: as of which windows of budgets are open, and keys expired. */
export async function readLitellm(
  source: SourceDatabase,
  { config: file, priceMap, saltKey, environment }: LitellmFiles,
  { version, now }: { version: string; now: number },
): Promise<Installation> {
  const findings = createFindings()
  const report = await reportSchema(source, findings)
  const master = masterKeyIn(file, environment)
  const salt = saltKey ?? environment.LITELLM_SALT_KEY ?? master
  const reading = { decrypt: decryptWith(salt), findings, report }
  const config = await readConfig(source, file, reading)
  const models = await readModels(source, config, priceMapOf(priceMap), reading)
  const directory = await readDirectory(source, models, reading)
  if (master !== undefined || config.general.master_key !== undefined)
    findings.add(
      'general_settings.master_key',
      'manual',
      'There is no master key here: make an admin key for scripts, and keys for clients that send it.',
    )
  const context: Context = { source, directory, findings, report, now }
  return {
    product: 'litellm',
    version,
    findings,
    configuration: models.configuration,
    people: () => readPeople(context),
    accounts: () => readAccounts(context),
    keys: () => readKeys(context),
    budgets: () => readBudgets(context, config),
    codes: async function* () {},
    usage: () => readUsage(context),
    charges: (most) => readCharges(source, most),
  }
}

/** The file may name a variable; it is read here before the configuration, since the database is encrypted with this key. */
function masterKeyIn(file: string | undefined, environment: Environment): string | undefined {
  const [, written] = /^\s+master_key:\s*["']?([^\s"'#]+)/m.exec(file ?? '') ?? []
  const [, variable] = /^os\.environ\/(.+)$/.exec(written ?? '') ?? []
  return (variable === undefined ? written : environment[variable]) ?? environment.LITELLM_MASTER_KEY
}

function priceMapOf(text: string | undefined): PriceMap {
  if (text === undefined) return {}
  const map = jsonOf(text)
  if (!isObject(map)) throw new SourceError('The price map is not a JSON object.')
  return Object.fromEntries(
    Object.entries(map).filter((entry): entry is [string, PriceMap[string]] => isObject(entry[1])),
  )
}
