// The only reader of environment variables. All mistakes are reported together.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { CLOUD_VARIABLES, type CloudEnvironment } from '../config/settings/cloud-variables.ts'
import { OWN_VARIABLES, type SecretVariable, type VariableName } from '../config/settings/variables.ts'
import { describeSystemError } from '../config/system-error.ts'
import type { Environment } from '../config/types.ts'
import { readTraceSettings } from '../observe/traces/settings.ts'
import { KINDS } from '../upstreams/kinds/index.ts'
import type { Mistake } from '../yaml/document.ts'

export type Variables = Readonly<Record<string, string | undefined>>

const DEFAULT_FILE = 'trivium.yaml'
const SHORTEST_SECRET = 16

/**
 * An empty variable counts as not set: compose files and CI systems set such variables.
 * `mayLackSecret`: for commands that find the master secret elsewhere, or need none.
 */
export function readEnvironment(
  env: Variables,
  { mayLackSecret } = { mayLackSecret: false },
): { environment: Environment; mistakes: Mistake[] } {
  const mistakes: Mistake[] = []
  const add = (message: string) => mistakes.push({ file: 'environment', line: undefined, message })
  const text = (name: VariableName) => env[name] || undefined
  const integer = (name: VariableName, fallback: number, min: number, max: number): number => {
    const written = text(name)
    if (written === undefined) return fallback
    const number = /^\d{1,9}$/.test(written) ? Number(written) : Number.NaN
    if (number >= min && number <= max) return number
    add(`${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(written.slice(0, 40))}`)
    return fallback
  }

  const host = text('HOST') ?? '127.0.0.1'
  if (isIP(host) === 0 && !/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(host)) {
    add('HOST must be an IP address or a host name without scheme, brackets or port, such as 127.0.0.1, 0.0.0.0 or ::1')
  }
  const port = integer('PORT', 3333, 0, 65_535)
  const workers = integer('TRIVIUM_WORKERS', 1, 1, 1024)
  const databaseUrl = secretText('DATABASE_URL', text, add)
  const secret = secretText('TRIVIUM_SECRET', text, add)
  const secretOld = secretText('TRIVIUM_SECRET_OLD', text, add)
  // Both are secret: messages do not repeat them.
  if (databaseUrl !== undefined && !(/^postgres(ql)?:\/\/\S+$/.test(databaseUrl) && URL.canParse(databaseUrl))) {
    add('DATABASE_URL must be a URL that begins with postgres:// or postgresql://; leave it out to use SQLite')
  }
  if (secret !== undefined && secret.length < SHORTEST_SECRET) {
    add(`TRIVIUM_SECRET must have at least ${SHORTEST_SECRET} characters, such as the output of: openssl rand -hex 32`)
  }
  if (secretOld !== undefined && secret === undefined) {
    add('TRIVIUM_SECRET_OLD is the secret that TRIVIUM_SECRET replaces: set both, or only TRIVIUM_SECRET')
  }
  if (databaseUrl !== undefined && secret === undefined && !mayLackSecret) {
    add('TRIVIUM_SECRET or TRIVIUM_SECRET_FILE must be set when DATABASE_URL is: all nodes share the master secret')
  }
  if (workers > 1 && databaseUrl === undefined) {
    add('TRIVIUM_WORKERS above 1 needs DATABASE_URL: one process owns a SQLite file')
  }
  const traces = readTraceSettings(text, add)
  const configFile = readConfigFile(text('TRIVIUM_CONFIG'), add)
  const word = <T extends string>(name: VariableName, words: readonly T[]): T | undefined => {
    const written = text(name)
    const found = words.find((each) => each === written)
    if (written !== undefined && found === undefined)
      add(`${name} must be ${words.join(', ')}, not ${JSON.stringify(written.slice(0, 40))}`)
    return found
  }
  const log = word('TRIVIUM_LOG', ['off', 'errors', 'requests']) ?? 'requests'
  const logFormat = word('TRIVIUM_LOG_FORMAT', ['text', 'json'])
  const logFile = text('TRIVIUM_LOG_FILE') && resolve(text('TRIVIUM_LOG_FILE') ?? '')
  const dataDir = resolve(text('TRIVIUM_DATA') ?? 'data')
  const warnings = [...(configFile === undefined ? otherNameRemarks() : []), ...dotenvRemarks(env)]
  const logs = { log, logFormat, logFile }
  const watchedFile = configFile ?? resolve(DEFAULT_FILE)
  const place = { host, port, dataDir, configFile, watchedFile, databaseUrl, secret, secretOld }
  const clouds = cloudsIn(env)
  return { environment: { ...place, workers, ...logs, traces, clouds, warnings }, mistakes }
}

function readConfigFile(written: string | undefined, add: (message: string) => void): string | undefined {
  if (written === undefined) return existsSync(DEFAULT_FILE) ? resolve(DEFAULT_FILE) : undefined
  const file = resolve(written)
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) add(`TRIVIUM_CONFIG: ${file} is not a file`)
  return file
}

/** The variable itself, or the text of the file that a variable with the suffix `_FILE` names: containers get secrets as files. */
function secretText(
  name: SecretVariable,
  text: (name: VariableName) => string | undefined,
  add: (message: string) => void,
): string | undefined {
  const [value, path] = [text(name), text(`${name}_FILE`)]
  if (path === undefined) return value
  if (value !== undefined) add(`${name} and ${name}_FILE are both set: unset one of them`)
  try {
    const found = readFileSync(path, 'utf8').trim()
    if (found === '') add(`${name}_FILE: ${path} is empty`)
    return found || undefined
  } catch (error) {
    add(`${name}_FILE: cannot read ${path}: ${describeSystemError(error)}`)
    return undefined
  }
}

function otherNameRemarks(): string[] {
  if (!existsSync(OTHER_NAME)) return []
  return [`${resolve(OTHER_NAME)} is not read: rename it to ${DEFAULT_FILE}, or set TRIVIUM_CONFIG=${OTHER_NAME}`]
}

const OTHER_NAME = 'trivium.yml'
/** All that configure the gateway. */
export const VARIABLES: readonly string[] = [
  ...OWN_VARIABLES,
  ...[...KINDS.values()].flatMap(({ keyVariable }) => keyVariable ?? []),
]

function cloudsIn(env: Variables): CloudEnvironment {
  const set = Object.entries(env).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return {
    variables: Object.fromEntries(set.filter(([name]) => Object.hasOwn(CLOUD_VARIABLES, name))),
    forPrograms: Object.fromEntries(set.filter(([name]) => !VARIABLES.includes(name))),
  }
}

/** Many programs read `.env` by themselves, so people expect it here, too. */
function dotenvRemarks(env: Variables): string[] {
  const file = resolve('.env')
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return []
  }
  const names = [...text.matchAll(/^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)\s*=/gm)].map(([, name = '']) => name)
  const ours = names.filter((name) => (VARIABLES.includes(name) || name.startsWith('TRIVIUM_')) && !env[name])
  if (ours.length === 0) return []
  return [`${file} is not read; set its variables in the environment: ${[...new Set(ours)].join(', ')}`]
}
