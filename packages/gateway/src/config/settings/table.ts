// Every setting: what it is, in which form it is written, and its default. Consoles and scripts generate their forms from this table.
import { formatUsd } from '../../money/amount.ts'
import { formatDuration, formatSize } from '../../yaml/units.ts'
import { ALERT_RULES } from '../sections/alerts.ts'
import type { FileConfig } from '../types.ts'

/** `objects`: a list of maps. `duration or off`: `30d`, or `off`. */
export type SettingType =
  | 'boolean'
  | 'integer'
  | 'text'
  | 'url'
  | 'path'
  | 'duration'
  | 'duration or off'
  | 'size'
  | 'usd'
  | 'percent'
  | 'word'
  | 'words'
  | 'texts'
  | 'objects'

/** What holds where nothing is written; it depends on the machine and on whether there is a real upstream. */
export type SettingDefaults = Pick<
  FileConfig,
  'server' | 'registration' | 'sandbox' | 'retention' | 'callbacks' | 'alerts' | 'console' | 'signIn'
>

export type SettingField = {
  /** Its path, such as `server.limits.body`. */
  id: string
  type: SettingType
  /** The words of a type `word` or `words`. */
  words: readonly string[]
  description: string
  /** Only the file may have it. */
  isFileOnly: boolean
  isSecret: boolean
  /** As a file would have it; null: nothing. */
  defaultIn(defaults: SettingDefaults): unknown
}

type Value = unknown
type Options = Partial<Pick<SettingField, 'words' | 'isFileOnly' | 'isSecret'>>

const field = (
  id: string,
  type: SettingType,
  description: string,
  defaultIn: (defaults: SettingDefaults) => Value = () => null,
  options: Options = {},
): SettingField => ({
  id,
  type,
  description,
  defaultIn,
  words: options.words ?? [],
  isFileOnly: options.isFileOnly ?? false,
  isSecret: options.isSecret ?? false,
})

const FILE_ONLY = { isFileOnly: true } as const
const SECRET = { isSecret: true } as const
const kept = (time: number | 'off'): string => (time === 'off' ? 'off' : formatDuration(time))

type Limit = keyof FileConfig['server']['limits']
const limit = (name: string, of: Limit, description: string): SettingField =>
  field(`server.limits.${name}`, 'size', description, ({ server }) => formatSize(server.limits[of]))
const count = (name: string, of: Limit, description: string): SettingField =>
  field(`server.limits.${name}`, 'integer', description, ({ server }) => server.limits[of])

type Kept = keyof FileConfig['retention']
const retention = (name: Kept, description: string): SettingField =>
  field(
    `retention.${name}`,
    name === 'tasks' ? 'duration' : 'duration or off',
    description,
    ({ retention: defaults }) => kept(defaults[name]),
  )

type Threshold = keyof FileConfig['alerts']['thresholds']
const age = (name: Threshold, description: string): SettingField =>
  field(`alerts.${name}`, 'duration', description, ({ alerts }) => formatDuration(alerts.thresholds[name]))
const share = (name: Threshold, description: string): SettingField =>
  field(`alerts.${name}`, 'percent', description, ({ alerts }) => `${alerts.thresholds[name]}%`)

/** By section, in the order in which they are shown. */
export const SETTING_FIELDS: readonly SettingField[] = [
  field(
    'server.public_url',
    'url',
    'The URL by which clients and browsers reach the gateway. Links and signed URLs begin with it.',
  ),
  field(
    'server.show_upstreams',
    'boolean',
    'Name upstreams on the receipts of account holders.',
    (of) => of.server.showUpstreams,
  ),
  field('server.drain', 'duration', 'How long running requests may continue after a stop.', (of) =>
    formatDuration(of.server.drainMs),
  ),
  field(
    'server.admin',
    'word',
    'Whether there is an admin API. Off also closes the console to operators.',
    (of) => (of.server.admin ? 'on' : 'off'),
    {
      words: ['on', 'off'],
      ...FILE_ONLY,
    },
  ),
  field('server.admin_networks', 'texts', 'Networks that the admin API may be used from. None: any.', () => []),
  field(
    'server.log_addresses',
    'word',
    "How much of clients' addresses logs and traces show.",
    (of) => of.server.logAddresses,
    {
      words: ['full', 'masked', 'off'],
    },
  ),
  field('server.metrics_token', 'text', 'Lets other machines read /metrics.', undefined, SECRET),
  field(
    'server.trusted_proxies',
    'texts',
    'Networks of proxies whose X-Forwarded-For is trusted.',
    () => [],
    FILE_ONLY,
  ),
  field('server.tls.cert', 'path', 'The certificate for https.', undefined, FILE_ONLY),
  field('server.tls.key', 'path', 'The private key of the certificate.', undefined, FILE_ONLY),
  limit('body', 'bodyBytes', 'The largest request body, after decompression.'),
  count('values', 'values', 'The most JSON values in a body.'),
  count(
    'free_requests',
    'freeRequestsPerMinute',
    'Requests at price 0 that an account may make in a minute, in a process.',
  ),
  count('in_flight', 'inFlight', 'Concurrent requests of a process, half of them for one account.'),
  limit(
    'memory',
    'memoryBytes',
    'Memory for the bodies of running requests and for images in responses, in a process.',
  ),
  limit('upload', 'uploadBytes', 'The largest form with files, which is kept on disk.'),
  limit('spool', 'spoolBytes', 'Disk space for all forms in progress, a quarter of it for one account.'),
  limit('stored_per_account', 'storedPerAccountBytes', 'Stored responses of one account. The oldest are removed.'),
  limit('stored', 'storedBytes', 'Stored responses of all accounts. The oldest of the largest account are removed.'),
  limit(
    'media_per_account',
    'mediaPerAccountBytes',
    'Stored images and videos of one account. The oldest are removed.',
  ),
  limit(
    'media',
    'mediaBytes',
    'Stored images and videos of all accounts. The oldest of the largest account are removed.',
  ),

  field(
    'registration.open',
    'boolean',
    'Anybody may sign up. On by default while there is no real upstream.',
    (of) => of.registration.open,
  ),
  field('registration.trial_credit', 'usd', 'What a new account gets, in USD.', (of) =>
    formatUsd(of.registration.trialCredit),
  ),
  field(
    'registration.trial_budget_per_day',
    'usd',
    'Trial credit of all new accounts within a day. None: no bound.',
    ({ registration }) =>
      registration.trialBudgetPerDay === undefined ? null : formatUsd(registration.trialBudgetPerDay),
  ),
  field(
    'registration.accounts_per_network_per_day',
    'integer',
    'Sign-ups from one network within a day.',
    (of) => of.registration.accountsPerNetworkPerDay,
  ),
  field(
    'registration.keep_sandbox_credit',
    'boolean',
    'Keep unspent trial credit of the sandbox when the first real upstream is added.',
    (of) => of.registration.keepSandboxCredit,
  ),

  field(
    'sandbox',
    'boolean',
    'The sandbox models. On by default while there is no real upstream.',
    (of) => of.sandbox.on,
  ),
  field(
    'sandbox.faults',
    'boolean',
    'Turns the sandbox on, and allows its fault switches beyond this machine. Excludes `sandbox`.',
    (of) => of.sandbox.faults,
  ),

  retention('responses', 'How long stored responses are kept.'),
  retention('reasoning', 'How long reasoning is kept for clients that cannot send it back.'),
  retention('idempotency', 'How long a repeated request gets the same response.'),
  retention('requests', 'How long receipts keep their text. Rows and transfers stay.'),
  retention('media', 'How long generated images and videos are kept.'),
  retention('tasks', 'How long ended video tasks are kept.'),
  retention('audit', 'How long the audit log is kept.'),

  field('media.disk', 'path', 'The folder of stored images and videos.', undefined, FILE_ONLY),
  field('media.s3.endpoint', 'url', 'The S3-compatible store of images and videos. Excludes `media.disk`.'),
  field('media.s3.bucket', 'text', 'Its bucket.'),
  field('media.s3.region', 'text', 'Its region.', () => 'us-east-1'),
  field('media.s3.access_key', 'text', 'The access key.', undefined, SECRET),
  field('media.s3.secret_key', 'text', 'The secret key.', undefined, SECRET),

  field(
    'callbacks.allow_private',
    'boolean',
    'Callbacks of tasks may go to private addresses.',
    (of) => of.callbacks.allowPrivate,
    FILE_ONLY,
  ),

  field('alerts.webhooks', 'objects', 'Where alerts are sent: `url` and the signing `secret` of each.', () => []),
  field('alerts.email', 'texts', 'Addresses that get alerts. Needs `mail`.', () => []),
  field(
    'alerts.allow_private',
    'boolean',
    'Webhooks may be at private addresses.',
    (of) => of.alerts.allowPrivate,
    FILE_ONLY,
  ),
  field('alerts.off', 'words', 'Rules that are turned off.', () => [], { words: ALERT_RULES }),
  age('upstream_down', 'How long all keys of an upstream must fail.'),
  share('error_rate', 'The share of requests that fail.'),
  field('alerts.margin_negative', 'usd', 'What a model may lose within a day, in USD.', (of) =>
    formatUsd(of.alerts.loss),
  ),
  age('old_holds', 'How old an open hold may get.'),
  share('disk_full', 'How full a disk may get.'),
  share('contents_full', 'How full stored responses and media may get, of their limits.'),
  age('certificate_expiring', 'How long before its expiry a certificate is reported.'),
  age('price_list_old', 'How old the built-in price list may get.'),

  field('mail.url', 'url', 'The mail server: smtps://user:password@host, or smtp:// with STARTTLS.', undefined, SECRET),
  field('mail.from', 'text', 'The sender, such as Gateway <gateway@example.com>.'),
  field('mail.ca', 'path', "Certificates that sign the mail server's.", undefined, FILE_ONLY),

  field('console.name', 'text', 'The name of the gateway in the console and in emails.', (of) => of.console.name),
  field('console.support_url', 'url', 'Where account holders ask for help: https:// or mailto:.'),

  field(
    'sign_in.password',
    'boolean',
    'People may sign in with a password. Owners always may.',
    (of) => of.signIn.password,
  ),
  field('sign_in.session_age', 'duration', 'After a sign-in at a provider, how long until the next one.', (of) =>
    formatDuration(of.signIn.sessionAgeMs),
  ),
  field('sign_in.providers', 'objects', 'OpenID Connect providers that people sign in at.', () => []),

  field('tools.image_generation.model', 'text', 'The image model behind the tool image_generation.'),
]
