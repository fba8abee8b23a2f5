// docs/reference/limits.md: limits with the error that a caller gets beyond each of them.
import { MAX_BYTES, TIMEOUT_MS, TOTAL_BYTES } from '@trivium/gateway/access/urls/fetch-media.ts'
import { LONGEST_CALLBACK_URL, MOST_URLS } from '@trivium/gateway/access/urls/url-policy.ts'
import { LARGEST_ADMIN_BODY } from '@trivium/gateway/admin-api/read-input.ts'
import { MOST_FOLLOWERS, MOST_FOLLOWERS_OF_ACCOUNT } from '@trivium/gateway/background/follow.ts'
import { BEGIN_WITHIN_MS, MOST_OPEN } from '@trivium/gateway/background/response-task.ts'
import { SERVER_DEFAULTS } from '@trivium/gateway/config/sections/server.ts'
import { IMAGE_TIMEOUT_DEFAULTS, TIMEOUT_DEFAULTS } from '@trivium/gateway/config/upstream-defaults.ts'
import { MOST_REFERENCES } from '@trivium/gateway/conversations/named-items.ts'
import { MOST_INPUTS as MOST_EMBEDDED, MOST_TOKENS } from '@trivium/gateway/endpoints/embeddings/modality.ts'
import type { Endpoint } from '@trivium/gateway/endpoints/endpoint.ts'
import { ENDPOINTS } from '@trivium/gateway/endpoints/index.ts'
import { MOST_MEGABYTES } from '@trivium/gateway/endpoints/transcriptions/modality/index.ts'
import { LARGEST_BODY } from '@trivium/gateway/http-api/read-small-body.ts'
import { IMAGE_BYTES } from '@trivium/gateway/images/reading/read-edit-form.ts'
import { MOST_OF_OBJECT, MOST_READS } from '@trivium/gateway/media/media-reads.ts'
import { MOST_WITH_HOLDERS } from '@trivium/gateway/operate/budgets/budgets.ts'
import { MOST_CODES } from '@trivium/gateway/operate/codes.ts'
import { MOST_KEYS } from '@trivium/gateway/operate/keys.ts'
import { MOST_ADMIN_KEYS } from '@trivium/gateway/operate/people/admin-keys.ts'
import { QUEUE_TIMEOUT_MS } from '@trivium/gateway/overload/admission.ts'
import { MOST_MIB_PER_MINUTE, MOST_PER_MINUTE } from '@trivium/gateway/overload/free-call-limit.ts'
import { READ_LIMITS } from '@trivium/gateway/overload/reads/read-slots.ts'
import { MOST_READS_PER_MINUTE } from '@trivium/gateway/overload/reads/reads.ts'
import { MOST_CLAIMS } from '@trivium/gateway/paid-call/claim-limit.ts'
import { DRAIN_MS } from '@trivium/gateway/paid-call/run.ts'
import { BODY_IDLE_MS, UNPAID_RATIO } from '@trivium/gateway/request/read-json.ts'
import { BYTES_PER_VALUE } from '@trivium/gateway/request/weigh-json.ts'
import {
  MOST_BUDGETS_IN_ALL,
  MOST_BUDGETS_KEPT,
  MOST_SHARED_BUDGETS,
} from '@trivium/gateway/storage/console/budgets.ts'
import { MOST_DELETES_PER_MINUTE } from '@trivium/gateway/tasks/task-deletes.ts'
import { MAX_ADDRESSES } from '@trivium/gateway/text/translation/translate.ts'
import { LARGEST_VIDEO } from '@trivium/gateway/videos/steps/copy-result.ts'
import { DEFAULT_DEADLINE_MS } from '@trivium/gateway/videos/submitting/task-data.ts'
import { formatDuration, formatSize } from '@trivium/gateway/yaml/units.ts'
import { FREE_MS, MIN_BYTES_PER_MS } from '@trivium/http/bodies/read-body.ts'
import { CONNECT_TIMEOUT_MS } from '@trivium/http/client/errors.ts'
import { MAX_HEAD_BYTES } from '@trivium/http/server/incoming/incoming-head.ts'
import { STALLED_MS } from '@trivium/http/server/outgoing/read-pace.ts'
import { ERRORS, type ErrorCode } from '@trivium/protocol/canonical/error.ts'
import { HEADER_BYTES } from '@trivium/protocol/canonical/warning.ts'
import { MAX_CHOICES } from '@trivium/protocol/dialects/chat/request/decode-request.ts'
import { MOST_CHARACTERS } from '@trivium/protocol/dialects/chat/speech/request.ts'
import { MAX_IMAGES } from '@trivium/protocol/dialects/images/request/decode-images.ts'
import { MAX_N, MAX_PROMPT, MAX_SERIES } from '@trivium/protocol/dialects/images/request/fields.ts'
import { MOST_SECONDS } from '@trivium/protocol/dialects/shared/videos/settings.ts'
import { MOST_ITEMS, MOST_PROMPT } from '@trivium/protocol/dialects/video-tasks/request/content.ts'
import { MAX_DEPTH } from '@trivium/protocol/framing/json/json-skip.ts'
import type { Generated } from '../generated.ts'
import { table } from '../markdown.ts'

const count = (number: number): string => number.toLocaleString('en-US')
const error = (code: ErrorCode): string => `${ERRORS[code].status} \`${code}\``
const TOO_LARGE = error('request_too_large')
const BAD = error('bad_request')
const LIMITED = error('rate_limit_exceeded')
const BUSY = error('service_unavailable')
const SLOW = error('request_timeout')

const { limits } = SERVER_DEFAULTS
const half = (size: string): string => `${size}; half of it per account`

/** What, how much, what happens beyond it. */
type Row = readonly [string, string, string]

const SET: readonly Row[] = [
  ['`server.limits.body`: a request body, decompressed', formatSize(limits.bodyBytes), TOO_LARGE],
  ['`server.limits.values`: JSON values in a body', count(limits.values), TOO_LARGE],
  ['`server.limits.upload`: a form with files', formatSize(limits.uploadBytes), TOO_LARGE],
  [
    '`server.limits.in_flight`: concurrent requests of a process',
    half(count(limits.inFlight)),
    `queued for ${formatDuration(QUEUE_TIMEOUT_MS)}, then ${BUSY}`,
  ],
  [
    '`server.limits.free_requests`: requests at price 0 to a process',
    `${count(limits.freeRequestsPerMinute)} per minute and account`,
    LIMITED,
  ],
  [
    '`server.limits.background_responses`: background responses that a process runs at once',
    `${count(limits.backgroundResponses)}; an eighth of them per account`,
    'queued for up to 6 hours',
  ],
  ['`server.limits.memory`: bodies in memory of a process', half(formatSize(limits.memoryBytes)), BUSY],
  ['`server.limits.spool`: forms on disk', `${formatSize(limits.spoolBytes)}; a quarter of it per account`, BUSY],
  [
    '`server.limits.stored_per_account`, `stored`: stored responses',
    `${formatSize(limits.storedPerAccountBytes)} per account, ${formatSize(limits.storedBytes)} in all`,
    'the oldest are removed',
  ],
  [
    '`server.limits.media_per_account`, `media`: stored images and videos',
    `${formatSize(limits.mediaPerAccountBytes)} per account, ${formatSize(limits.mediaBytes)} in all`,
    'the oldest are removed',
  ],
]

const REQUESTS: readonly Row[] = [
  ['the head of a request', formatSize(MAX_HEAD_BYTES), '431'],
  ['depth of JSON', count(MAX_DEPTH), BAD],
  ['answers to one request (`n`, `candidateCount`)', count(MAX_CHOICES), BAD],
  ['`Idempotency-Key`', '255 visible ASCII characters', BAD],
  ['URLs in a request', count(MOST_URLS), BAD],
  [
    'URLs that the gateway fetches for an upstream that accepts none',
    `${MAX_ADDRESSES}; ${formatSize(MAX_BYTES)} each, ${formatSize(TOTAL_BYTES)} together, ${formatDuration(TIMEOUT_MS)} each`,
    BAD,
  ],
  ['`callback_url` of a video', `${count(LONGEST_CALLBACK_URL)} characters`, BAD],
  ['stored items that a request refers to', count(MOST_REFERENCES), BAD],
  [
    'the header `x-trivium-warnings`',
    formatSize(HEADER_BYTES),
    'the last warning is `warnings;cut`; the receipt has all',
  ],
]

const MODELS: readonly Row[] = [
  ['image: prompt', `${count(MAX_PROMPT)} characters`, BAD],
  ['image: `n`; images of a series', `${MAX_N}; ${MAX_SERIES}`, BAD],
  ['image: images to edit', `${MAX_IMAGES} of ${formatSize(IMAGE_BYTES)} each`, `${BAD}; too large: ${TOO_LARGE}`],
  ['video: prompt; items of `content`', `${count(MOST_PROMPT)} characters; ${MOST_ITEMS}`, BAD],
  ['video: length', `${MOST_SECONDS} s`, BAD],
  ['video: finished file', formatSize(LARGEST_VIDEO), 'the task fails and is not charged'],
  ['video: time until it is finished', formatDuration(DEFAULT_DEADLINE_MS), 'the task expires and is not charged'],
  ['embedding: inputs; tokens', `${count(MOST_EMBEDDED)}; ${count(MOST_TOKENS)}`, BAD],
  ...Object.entries<Endpoint>(ENDPOINTS).flatMap(([type, { models }]) =>
    Object.entries(models?.limits ?? {}).map(([name, most]) => [`${type}: ${name}`, count(most), BAD] as const),
  ),
  ['speech: characters', count(MOST_CHARACTERS), BAD],
  ['transcription: a file', `${MOST_MEGABYTES}MiB`, TOO_LARGE],
]

const RATES: readonly Row[] = [
  [
    'reads (usage, lists, stored responses, console)',
    `${count(MOST_READS_PER_MINUTE)} per minute and account`,
    LIMITED,
  ],
  [
    'concurrent reads of a process',
    `${READ_LIMITS.atOnce}; ${READ_LIMITS.atOncePerAccount} per account`,
    `queued for ${formatDuration(READ_LIMITS.queueMs)}, then ${LIMITED}`,
  ],
  ['token counts', `${count(MOST_PER_MINUTE)} per minute and account, unless it has a limit`, LIMITED],
  [
    'token counts, and requests at price 0: their weight',
    `${MOST_MIB_PER_MINUTE} MiB per minute and account, where a JSON value counts ${BYTES_PER_VALUE} bytes`,
    LIMITED,
  ],
  ['token counts, and what nobody pays for: compression', `to a ${UNPAID_RATIO}th, beyond 1 MiB`, TOO_LARGE],
  [
    'idempotency keys that are stored',
    `${count(MOST_CLAIMS.account)} per account, ${count(MOST_CLAIMS.all)} in all, counted by each process`,
    `${LIMITED}; in all: ${error('service_unavailable')}`,
  ],
  ['deletions of video tasks', `${count(MOST_DELETES_PER_MINUTE)} per minute and account`, LIMITED],
  ['background responses that are queued or run', `${MOST_OPEN} per account`, LIMITED],
  [
    'clients that follow background responses, of a process',
    `${MOST_FOLLOWERS}; ${MOST_FOLLOWERS_OF_ACCOUNT} per account`,
    LIMITED,
  ],
  ['downloads of one stored object to one network', String(MOST_OF_OBJECT), LIMITED],
  ['downloads of stored objects of a process', `${MOST_READS}; half of them to one /24 (IPv6: /48)`, BUSY],
]

const TIMES: readonly Row[] = [
  [
    'connecting to an upstream',
    formatDuration(CONNECT_TIMEOUT_MS),
    `the next candidate, else ${error('upstream_error')}`,
  ],
  [
    'first byte from an upstream (`timeouts.first_byte`)',
    `${formatDuration(TIMEOUT_DEFAULTS.firstByteMs)}; images, transcription ${formatDuration(IMAGE_TIMEOUT_DEFAULTS.firstByteMs)}`,
    error('upstream_timeout'),
  ],
  [
    'silence of an upstream (`timeouts.idle`)',
    `${formatDuration(TIMEOUT_DEFAULTS.idleMs)}; images, transcription ${formatDuration(IMAGE_TIMEOUT_DEFAULTS.idleMs)}`,
    `${error('upstream_timeout')}, or an error event in a stream`,
  ],
  [
    'a whole response (`timeouts.total`)',
    `${formatDuration(TIMEOUT_DEFAULTS.totalMs)}; images, transcription ${formatDuration(IMAGE_TIMEOUT_DEFAULTS.totalMs)}`,
    `${error('upstream_timeout')}, or an error event in a stream`,
  ],
  [
    'a request body',
    `${formatDuration(FREE_MS)}, then at least ${formatSize(MIN_BYTES_PER_MS * 1_000)} per second; pauses of ${formatDuration(BODY_IDLE_MS)}`,
    SLOW,
  ],
  ['a client that does not read its response', formatDuration(STALLED_MS), 'its connection is closed'],
  ['an unstreamed answer after the client disconnected', formatDuration(DRAIN_MS), 'charged for what had arrived'],
  ['a background response until it begins', formatDuration(BEGIN_WITHIN_MS), 'it has failed, and is not charged'],
  ['running requests after a stop (`server.drain`)', formatDuration(SERVER_DEFAULTS.drainMs), 'ended: `shutdown`'],
]

const ADMINISTRATION: readonly Row[] = [
  ['active keys of an account', count(MOST_KEYS), '409 `too_many_keys`'],
  ['budgets of an account', count(MOST_BUDGETS_KEPT), '409 `conflict`'],
  ['budgets of an account, before its owners can make no more', count(MOST_WITH_HOLDERS), '409 `conflict`'],
  ['budgets across accounts', count(MOST_SHARED_BUDGETS), '409 `conflict`'],
  ['budgets of all accounts', count(MOST_BUDGETS_IN_ALL), '409 `conflict`'],
  ['admin keys', count(MOST_ADMIN_KEYS), '409 `too_many_keys`'],
  ['redemption codes in one batch', count(MOST_CODES), '400'],
  ['a body of the admin API', formatSize(LARGEST_ADMIN_BODY), '413'],
  ['a body of the console', formatSize(LARGEST_BODY), '413'],
]

const SECTIONS = {
  settings: SET,
  requests: REQUESTS,
  models: MODELS,
  rates: RATES,
  times: TIMES,
  administration: ADMINISTRATION,
}

export const LIMITS_PAGE: readonly Generated[] = Object.entries(SECTIONS).map(([section, rows]) => ({
  file: 'docs/reference/limits.md',
  section,
  text: () => table(['Limit', 'Value', 'Beyond it'], rows),
}))
