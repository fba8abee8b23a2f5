// Checks of the machine: disks, descriptors, file modes, certificate, age of the price list.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { descriptorLimit } from '@trivium/http/system/descriptors.ts'
import { certificateExpiry, diskUse } from '../../alerts/measure.ts'
import { secretsOfAuth } from '../../config/secret-paths.ts'
import { describeSystemError } from '../../config/system-error.ts'
import type { Environment, FileConfig } from '../../config/types.ts'
import { mediaFolder } from '../../media/open-media.ts'
import { NO_KEY } from '../../upstreams/health/health.ts'
import { readPriceList } from '../../upstreams/prices/price-list.ts'
import type { ServerState } from '../system/server-state.ts'
import { answer, type Finding, type Question } from './question.ts'

const MIB = 1024 ** 2
const DAY_MS = 86_400_000
/** Less is a fault: a few uploads fill it. */
const LEAST_FREE_BYTES = 100 * MIB
const FEW_DESCRIPTORS = 1_024
/** The share of a running server's limit of descriptors at which it is reported. */
const MOST_OPEN = 0.9

/** `states`: of the server processes on this folder. */
export function machineQuestions(
  environment: Environment,
  config: FileConfig,
  states: readonly ServerState[],
  now: number,
): Question[] {
  return [
    {
      check: 'disk',
      advice: 'free disk space, or move the data folder to a larger disk',
      ask: () => describeDisks(environment, config),
    },
    {
      check: 'descriptors',
      advice: 'raise the limit of open files (ulimit -n, or LimitNOFILE of the service) and restart',
      ask: () => describeDescriptors(states),
    },
    {
      check: 'file modes',
      advice: 'take the rights of others away with chmod, as shown',
      ask: () => describeModes(environment, config),
    },
    ...certificateQuestions(config, now),
    { check: 'price list', advice: 'update Trivium', ask: () => describePriceList(config, now) },
  ]
}

async function describeDisks(environment: Environment, config: FileConfig): Promise<Finding> {
  const folders = [...new Set([environment.dataDir, mediaFolder(environment, config) ?? environment.dataDir])]
  const notes: string[] = []
  const warnings: string[] = []
  for (const folder of folders.filter((each) => existsSync(each))) {
    const { used, free, total } = await diskUse(folder)
    const note = `${folder} has ${Math.floor(free / MIB)} MiB free (${Math.floor((100 * used) / total)} % used)`
    if (free < LEAST_FREE_BYTES) throw new Error(note)
    notes.push(note)
    if (used * 100 >= total * config.alerts.thresholds.disk_full) warnings.push(`${folder} is nearly full`)
  }
  return { note: notes.join(', ') || 'no folder yet', warnings }
}

function describeDescriptors(states: readonly ServerState[]): Finding {
  for (const { descriptors } of states) {
    const { limit, open } = descriptors
    if (open !== null && open >= limit * MOST_OPEN) throw new Error(`the server has ${open} of ${limit} open`)
  }
  const limit = states[0]?.descriptors.limit ?? descriptorLimit()
  const open = states.map(({ descriptors }) => descriptors.open ?? 0).join(', ')
  const note = states.length === 0 ? `at most ${limit}` : `at most ${limit}; the server has ${open} open`
  const few = 'few clients can be connected at a time; raise the limit (ulimit -n, LimitNOFILE)'
  return { note, warnings: limit < FEW_DESCRIPTORS ? [few] : [] }
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: ${NAME} is the syntax of the file
const HAS_KEYS = 'has API keys: write them as ${NAME} or ${file:PATH}, or chmod 600'
const EVERYBODY = 0o007
const ENTER = 0o001
const OTHERS = 0o077

/** A folder may be shared with a group; a secret may not. */
function describeModes({ dataDir, configFile }: Environment, config: FileConfig): string {
  const wrong = [
    ...withMode(dataDir, EVERYBODY, 'chmod 700'),
    ...withMode(join(dataDir, 'secret'), OTHERS, 'chmod 600'),
    ...(configFile !== undefined && canBeReached(configFile) && hasLiteralKeys(configFile, config)
      ? withMode(configFile, EVERYBODY, HAS_KEYS)
      : []),
  ]
  if (wrong.length > 0) throw new Error(wrong.join('\n'))
  return 'data folder, secret and configuration file cannot be read by others'
}

/** Nobody else can open a file in a folder that nobody else can enter. */
const canBeReached = (file: string): boolean => (statSync(dirname(file)).mode & ENTER) !== 0

function withMode(path: string, forbidden: number, advice: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found || (found.mode & forbidden) === 0) return []
  return [`${advice} ${path} (its mode is ${(found.mode & 0o777).toString(8).padStart(4, '0')})`]
}

function hasLiteralKeys(file: string, { upstreams, alerts, media }: FileConfig): boolean {
  const source = readFileSync(file, 'utf8')
  const keys = [...upstreams.values()]
    .flatMap((upstream) => (upstream.auth ? secretsOfAuth(upstream.auth) : upstream.keys))
    .filter((key) => key !== NO_KEY)
  const secrets = [...alerts.webhooks.map(({ secret }) => secret), media?.s3?.secretKey ?? '']
  return [...keys, ...secrets].some((secret) => secret !== '' && source.includes(secret))
}

/** What `doctor` says of the certificate of a configuration, as warnings. */
export async function certificateWarnings(config: FileConfig, now: number): Promise<string[]> {
  const checks = await Promise.all(certificateQuestions(config, now).map((each) => answer(each, describeSystemError)))
  return checks.flatMap(({ ok, note, advice, warnings }) =>
    ok ? warnings.map((warning) => `server.tls.cert: ${note}; ${warning}`) : [`server.tls.cert: ${note}; ${advice}`],
  )
}

const certificateQuestions = (config: FileConfig, now: number): Question[] =>
  config.server.tls ? [certificateQuestion(config.server.tls.certFile, config, now)] : []

const certificateQuestion = (file: string, { alerts }: FileConfig, now: number): Question => ({
  check: 'certificate',
  advice: 'renew it; a running server takes the new file by itself',
  async ask() {
    const at = await certificateExpiry(file)
    const date = new Date(at).toISOString().slice(0, 10)
    if (at <= now) throw new Error(`${file} has expired on ${date}`)
    const note = `${file} expires on ${date}, in ${Math.floor((at - now) / DAY_MS)} days`
    return { note, warnings: at - now <= alerts.thresholds.certificate_expiring ? ['it expires soon; renew it'] : [] }
  },
})

function describePriceList({ alerts, priceList }: FileConfig, now: number): Finding {
  const { date } = readPriceList()
  const ageMs = now - Date.parse(date)
  const note = `of ${date}, ${Math.floor(ageMs / DAY_MS)} days old${priceList === undefined ? ', not used' : ''}`
  const isOld = priceList !== undefined && ageMs > alerts.thresholds.price_list_old
  return { note, warnings: isOld ? ['it is old; update Trivium, or write the prices into the file'] : [] }
}
