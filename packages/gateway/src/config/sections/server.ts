// Section `server`.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DEFAULT_MAX_VALUES } from '@trivium/protocol/dialects/shared/pass-through/request.ts'
import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { FILE_ONLY, type Fields, fieldsOf, listOf, type Reader } from '../../yaml/fields.ts'
import {
  readBoolean,
  readCidr,
  readDuration,
  readInteger,
  readPath,
  readSize,
  readText,
  readUrl,
  readWord,
  TIMER_OR_ZERO,
  withoutTrailingSlash,
} from '../../yaml/scalars.ts'
import { describeSystemError } from '../system-error.ts'
import type { ServerConfig } from '../types.ts'

const MIB = 1024 ** 2

export const SERVER_DEFAULTS: ServerConfig = {
  publicUrl: undefined,
  tls: undefined,
  trustedProxies: [],
  limits: {
    bodyBytes: 32 * MIB,
    values: DEFAULT_MAX_VALUES,
    inFlight: 4096,
    memoryBytes: 512 * MIB,
    uploadBytes: 1024 * MIB,
    spoolBytes: 4096 * MIB,
    storedPerAccountBytes: 256 * MIB,
    storedBytes: 4096 * MIB,
    mediaPerAccountBytes: 8 * 1024 * MIB,
    mediaBytes: 32 * 1024 * MIB,
    freeRequestsPerMinute: 600,
  },
  drainMs: 30_000,
  showUpstreams: false,
  logAddresses: 'full',
  admin: true,
  adminNetworks: [],
  metricsToken: undefined,
}

/** What an idle process needs. */
const IDLE_BYTES = 128 * MIB
/** A share of the rest. Parsed and translated, a body takes more than it weighs, and unread responses take half as much again. */
const BODIES_SHARE = 1 / 4
const LEAST_MEMORY = 32 * MIB

/** The defaults of each process of a server that may use so much memory. `env` says how many there are. */
export function serverDefaults(
  availableBytes: number,
  env: Readonly<Record<string, string | undefined>>,
): ServerConfig {
  const { limits } = SERVER_DEFAULTS
  const processes = Math.max(1, Number(env.TRIVIUM_WORKERS) || 1)
  const share = Math.floor(((availableBytes / processes - IDLE_BYTES) * BODIES_SHARE) / MIB) * MIB
  const memoryBytes = Math.min(limits.memoryBytes, Math.max(LEAST_MEMORY, share))
  return { ...SERVER_DEFAULTS, limits: { ...limits, memoryBytes } }
}

const SERVER_FIELDS = {
  public_url: true,
  tls: FILE_ONLY,
  trusted_proxies: FILE_ONLY,
  limits: true,
  drain: true,
  show_upstreams: true,
  log_addresses: true,
  // Stored, it would close the way by which it could be changed again.
  admin: FILE_ONLY,
  admin_networks: true,
  metrics_token: true,
} as const
const TLS_FIELDS = { cert: true, key: true } as const
const LIMIT_FIELDS = {
  body: true,
  values: true,
  in_flight: true,
  memory: true,
  upload: true,
  spool: true,
  stored_per_account: true,
  stored: true,
  media_per_account: true,
  media: true,
  free_requests: true,
} as const

const SIZE_RANGE = { min: 1, max: 1024 ** 4 }

export const readServer =
  (defaults: ServerConfig) =>
  (value: YamlValue): ServerConfig => {
    const fields = fieldsOf(value, SERVER_FIELDS, 'server: { limits: { body: 32MiB } }')
    if (!fields) return defaults
    return {
      publicUrl: fields.optional('public_url', readPublicUrl, undefined),
      tls: fields.optional('tls', readTls, undefined),
      trustedProxies: fields.optional('trusted_proxies', listOf(readCidr, '[10.0.0.0/8]'), []),
      limits: fields.optional('limits', readLimits(defaults.limits), defaults.limits),
      drainMs: fields.optional('drain', readDuration(TIMER_OR_ZERO), SERVER_DEFAULTS.drainMs),
      showUpstreams: fields.optional('show_upstreams', readBoolean, SERVER_DEFAULTS.showUpstreams),
      logAddresses: fields.optional('log_addresses', readWord(['full', 'masked', 'off']), SERVER_DEFAULTS.logAddresses),
      admin: fields.optional('admin', readWord(['on', 'off']), 'on') === 'on',
      adminNetworks: fields.optional('admin_networks', listOf(readCidr, '[10.0.0.0/8]'), []),
      metricsToken: fields.optional('metrics_token', readMetricsToken, undefined),
    }
  }

function readPublicUrl(value: YamlValue): string | undefined {
  const url = readUrl(value, { credentials: false, example: 'https://gw.example.com' })
  return url ? withoutTrailingSlash(url) : undefined
}

/** It protects turnover and costs, and can be guessed without limit. */
const SHORTEST_TOKEN = 20

function readMetricsToken(value: YamlValue): string | undefined {
  const text = readText(value)
  if (text === undefined || (text.length >= SHORTEST_TOKEN && !/\s/.test(text))) return text
  addMistake(value, `must have at least ${SHORTEST_TOKEN} characters and no spaces; openssl rand -hex 24 makes one`)
  return undefined
}

/** What the admin API needs for any change, this one among them. A file may say less, since it is changed elsewhere. */
const LEAST_STORED_BODY = 64 * 1024

const readBody: Reader<number> = (value) =>
  readSize(value.context.isLiteral ? { ...SIZE_RANGE, min: LEAST_STORED_BODY } : SIZE_RANGE)(value)

const readLimits =
  (defaults: ServerConfig['limits']) =>
  (value: YamlValue): ServerConfig['limits'] | undefined => {
    const fields = fieldsOf(
      value,
      LIMIT_FIELDS,
      'limits: { body: 32MiB, values: 250000, in_flight: 4096, memory: 512MiB, upload: 1GiB, spool: 4GiB, stored: 4GiB, media: 32GiB }',
    )
    if (!fields) return undefined
    const { values, inFlight, memoryBytes, uploadBytes, spoolBytes } = defaults
    const { storedPerAccountBytes, storedBytes, mediaPerAccountBytes, mediaBytes, freeRequestsPerMinute } = defaults
    const bodyBytes = fields.optional('body', readBody, defaults.bodyBytes)
    // What the file does not say must not contradict what it says.
    const leastMemory = Math.max(memoryBytes, Math.min(bodyBytes, SERVER_DEFAULTS.limits.memoryBytes))
    const limits = {
      bodyBytes,
      values: fields.optional('values', readInteger({ min: 1, max: 100_000_000 }), values),
      inFlight: fields.optional('in_flight', readInteger({ min: 1, max: 1_000_000 }), inFlight),
      memoryBytes: fields.optional('memory', readSize(SIZE_RANGE), leastMemory),
      uploadBytes: fields.optional('upload', readSize(SIZE_RANGE), uploadBytes),
      spoolBytes: fields.optional('spool', readSize(SIZE_RANGE), spoolBytes),
      storedPerAccountBytes: fields.optional('stored_per_account', readSize(SIZE_RANGE), storedPerAccountBytes),
      storedBytes: fields.optional('stored', readSize(SIZE_RANGE), storedBytes),
      mediaPerAccountBytes: fields.optional('media_per_account', readSize(SIZE_RANGE), mediaPerAccountBytes),
      mediaBytes: fields.optional('media', readSize(SIZE_RANGE), mediaBytes),
      freeRequestsPerMinute: fields.optional(
        'free_requests',
        readInteger({ min: 0, max: 100_000_000 }),
        freeRequestsPerMinute,
      ),
    }
    if (limits.memoryBytes < limits.bodyBytes) {
      addMistake(value, 'memory is smaller than body: a request of the allowed size could never be accepted')
    }
    if (limits.spoolBytes < limits.uploadBytes) {
      addMistake(value, 'spool is smaller than upload: an upload of the allowed size could never be accepted')
    }
    return limits
  }

function readTls(value: YamlValue): ServerConfig['tls'] {
  const fields = fieldsOf(value, TLS_FIELDS, 'tls: { cert: ./cert.pem, key: ./key.pem }')
  if (!fields) return undefined
  const certFile = fields.required('cert', readPath)
  const keyFile = fields.required('key', readPath)
  if (certFile === undefined || keyFile === undefined) return undefined
  checkPair(fields, certFile, keyFile)
  return { certFile, keyFile }
}

/** Checked at start, so that a mismatched pair is one clear message instead of failed connections. */
function checkPair(fields: Fields, certFile: string, keyFile: string): void {
  const certificate = parsedFile(fields.get('cert'), certFile, 'certificate', (pem) => new X509Certificate(pem))
  const key = parsedFile(fields.get('key'), keyFile, 'private key', (pem) => createPrivateKey(pem))
  if (certificate && key && !certificate.checkPrivateKey(key)) {
    addMistake(fields.value, 'the private key does not belong to the certificate')
  }
}

function parsedFile<T>(
  value: YamlValue | undefined,
  file: string,
  noun: string,
  parse: (pem: Buffer) => T,
): T | undefined {
  let pem: Buffer
  try {
    pem = readFileSync(file)
  } catch (error) {
    if (value) addMistake(value, `cannot read ${file}: ${describeSystemError(error)}`)
    return undefined
  }
  try {
    return parse(pem)
  } catch {
    if (value) addMistake(value, `${file} does not contain a ${noun} in PEM format`)
    return undefined
  }
}
