// Section `server`.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { MAX_CLIENTS } from '@trivium/http/system/descriptors.ts'
import { DEFAULT_MAX_VALUES } from '@trivium/protocol/dialects/shared/pass-through/request.ts'
import type { LogAddresses } from '../../observe/arrival.ts'
import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { FILE_ONLY, type Fields, fieldsOf, listOf } from '../../yaml/fields.ts'
import {
  readCidr,
  readPath,
  readSize,
  readText,
  readUrl,
  TIMER_OR_ZERO,
  withoutTrailingSlash,
} from '../../yaml/scalars.ts'
import {
  boolean,
  defaultsOf,
  duration,
  integer,
  onOrOff,
  readRows,
  rulesOf,
  setting,
  size,
  type ValuesOf,
  word,
  written,
} from '../settings/setting.ts'
import { describeSystemError } from '../system-error.ts'

const MIB = 1024 ** 2

const readCidrs = listOf(readCidr, '[10.0.0.0/8]')

export const SERVER = {
  publicUrl: setting('public_url', written('url', readPublicUrl), undefined, {
    en: 'The URL by which clients and browsers reach the gateway. Links and signed URLs begin with it.',
    zh: '链接和签名 URL 的起始地址。',
  }),
  showUpstreams: setting('show_upstreams', boolean, false, {
    en: 'Name upstreams on the receipts of account holders.',
    zh: '在账户持有人的收据上显示上游名称。',
  }),
  drainMs: setting('drain', duration(TIMER_OR_ZERO), 30_000, {
    en: 'How long running requests may continue after a stop.',
    zh: '停止时，运行中的请求最多还能运行多久。',
  }),
  // Stored, it would close the way by which it could be changed again.
  admin: setting('admin', onOrOff, true, {
    en: 'Whether there is an admin API. Off also closes the console to operators.',
    zh: '是否提供管理 API。关闭后运营人员也无法使用此控制台。',
    mark: 'file only',
  }),
  adminNetworks: setting('admin_networks', written('texts', readCidrs), [], {
    en: 'Networks that the admin API may be used from. None: any.',
    zh: '允许使用管理 API 的网络。留空表示不限。',
  }),
  logAddresses: setting('log_addresses', word<LogAddresses>(['full', 'masked', 'off']), 'full', {
    en: "How much of clients' addresses logs and traces show.",
    zh: '日志和链路追踪中显示客户端地址的程度。',
  }),
  metricsToken: setting('metrics_token', written('text', readMetricsToken), undefined, {
    en: 'Lets other machines read /metrics.',
    zh: '允许其他机器读取 /metrics 的令牌。',
    mark: 'secret',
  }),
  trustedProxies: setting('trusted_proxies', written('texts', readCidrs), [], {
    en: 'Networks of proxies whose X-Forwarded-For is trusted.',
    zh: '信任其 X-Forwarded-For 请求头的代理所在网络。',
    mark: 'file only',
  }),
}

export const TLS = {
  certFile: setting('cert', written('path', readPath), undefined, {
    en: 'The certificate for https.',
    zh: 'HTTPS 证书。',
    mark: 'file only',
  }),
  keyFile: setting('key', written('path', readPath), undefined, {
    en: 'The private key of the certificate.',
    zh: '证书的私钥。',
    mark: 'file only',
  }),
}

const SIZE_RANGE = { min: 1, max: 1024 ** 4 }
const bytes = size(SIZE_RANGE)

export const LIMITS = {
  bodyBytes: setting('body', size(readBody), 32 * MIB, {
    en: 'The largest request body, after decompression.',
    zh: '请求体的最大大小。',
  }),
  // At every depth: each takes memory when it is parsed.
  values: setting('values', integer({ min: 1, max: 100_000_000 }), DEFAULT_MAX_VALUES, {
    en: 'The most JSON values in a body.',
    zh: '请求体中 JSON 值的最大数量。',
  }),
  freeRequestsPerMinute: setting('free_requests', integer({ min: 0, max: 100_000_000 }), 600, {
    en: 'Requests at price 0 that an account may make in a minute, in a process.',
    zh: '一个进程中，每个账户每分钟可发送的零价请求数。',
  }),
  inFlight: setting('in_flight', integer({ min: 1, max: 1_000_000 }), 4096, {
    en: 'Concurrent requests of a process, half of them for one account.',
    zh: '一个节点同时运行的请求数。',
  }),
  connections: setting('connections', integer({ min: 1, max: MAX_CLIENTS }), undefined, {
    en: 'Client connections of a process. By default two fifths of its file descriptors, which leaves one for each upstream call; more where calls share connections (HTTP/2), up to nine tenths.',
    zh: '一个进程的客户端连接数。默认为文件描述符的五分之二，为每个上游调用留一个；若上游共用连接（HTTP/2），可设得更大，最多十分之九。',
  }),
  // Each that runs also takes its place and its memory among the running requests.
  backgroundResponses: setting('background_responses', integer({ min: 8, max: 100_000 }), 512, {
    en: 'Background responses that a process runs at once, an eighth of them for one account.',
    zh: '一个进程同时运行的后台响应数，每个账户最多占八分之一。',
  }),
  memoryBytes: setting('memory', bytes, 512 * MIB, {
    en: 'Memory for the bodies of running requests and for images in responses, in a process.',
    zh: '内存中所有运行中请求体的总大小。',
  }),
  uploadBytes: setting('upload', bytes, 1024 * MIB, {
    en: 'The largest form with files, which is kept on disk.',
    zh: '单次 multipart 上传的最大大小。',
  }),
  spoolBytes: setting('spool', bytes, 4096 * MIB, {
    en: 'Disk space for all forms in progress, a quarter of it for one account.',
    zh: '磁盘上所有上传文件的总大小。',
  }),
  storedPerAccountBytes: setting('stored_per_account', bytes, 256 * MIB, {
    en: 'Stored responses of one account. The oldest are removed.',
    zh: '每个账户可存储的响应。超出后删除最早的。',
  }),
  storedBytes: setting('stored', bytes, 4096 * MIB, {
    en: 'Stored responses of all accounts. The oldest of the largest account are removed.',
    zh: '所有账户可存储的响应。',
  }),
  mediaPerAccountBytes: setting('media_per_account', bytes, 8 * 1024 * MIB, {
    en: 'Stored images and videos of one account. The oldest are removed.',
    zh: '每个账户可存储的图片和视频。超出后删除最早的。',
  }),
  mediaBytes: setting('media', bytes, 32 * 1024 * MIB, {
    en: 'Stored images and videos of all accounts. The oldest of the largest account are removed.',
    zh: '所有账户可存储的图片和视频。',
  }),
}

type Tls = { certFile: string; keyFile: string }
export type ServerConfig = ValuesOf<typeof SERVER> & { tls: Tls | undefined; limits: ValuesOf<typeof LIMITS> }

export const SERVER_DEFAULTS: ServerConfig = { tls: undefined, ...defaultsOf(SERVER), limits: defaultsOf(LIMITS) }

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

export const readServer =
  (defaults: ServerConfig) =>
  (value: YamlValue): ServerConfig => {
    const rules = { public_url: true, tls: FILE_ONLY, ...rulesOf(SERVER), limits: true } as const
    const fields = fieldsOf(value, rules, 'server: { limits: { body: 32MiB } }')
    if (!fields) return defaults
    return {
      tls: fields.optional('tls', readTls, undefined),
      ...readRows(fields, SERVER),
      limits: fields.optional('limits', readLimits(defaults.limits), defaults.limits),
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

function readBody(value: YamlValue): number | undefined {
  return readSize(value.context.isLiteral ? { ...SIZE_RANGE, min: LEAST_STORED_BODY } : SIZE_RANGE)(value)
}

const readLimits =
  (defaults: ServerConfig['limits']) =>
  (value: YamlValue): ServerConfig['limits'] | undefined => {
    const fields = fieldsOf(
      value,
      rulesOf(LIMITS),
      'limits: { body: 32MiB, values: 250000, in_flight: 4096, memory: 512MiB, upload: 1GiB, spool: 4GiB, stored: 4GiB, media: 32GiB }',
    )
    if (!fields) return undefined
    // What the file does not say must not contradict what it says.
    const bodyBytes = fields.optional('body', readBody, defaults.bodyBytes)
    const memoryBytes = Math.max(defaults.memoryBytes, Math.min(bodyBytes, SERVER_DEFAULTS.limits.memoryBytes))
    const limits = readRows(fields, LIMITS, { ...defaults, memoryBytes })
    if (limits.memoryBytes < limits.bodyBytes) {
      addMistake(value, 'memory is smaller than body: a request of the allowed size could never be accepted')
    }
    if (limits.spoolBytes < limits.uploadBytes) {
      addMistake(value, 'spool is smaller than upload: an upload of the allowed size could never be accepted')
    }
    return limits
  }

function readTls(value: YamlValue): ServerConfig['tls'] {
  const fields = fieldsOf(value, { cert: true, key: true }, 'tls: { cert: ./cert.pem, key: ./key.pem }')
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
