// Reading an upstream's error: which of our codes it is, and how much of its text a caller may see. An upstream speaks
// to the operator: what it says about its key, its money or its models is not the caller's business nor fault.

import { ERRORS, type ErrorCode, type ErrorInfo } from '../../../canonical/error.ts'
import { maskSecrets } from '../../../canonical/mask.ts'
import { amazonCode, errorWithin, filtersIn } from './cloud-errors.ts'

/** The codes an upstream can cause. That the caller's own key, money or address is at fault only the gateway can say. */
export type UpstreamCode = Extract<
  ErrorCode,
  | 'bad_request'
  | 'unsupported_parameter'
  | 'context_length_exceeded'
  | 'content_policy_violation'
  | 'not_found'
  | 'conflict'
  | 'request_too_large'
  | 'rate_limit_exceeded'
  | 'upstream_error'
  | 'upstream_auth_error'
  | 'upstream_model_not_found'
  | 'upstream_unknown_url'
  | 'upstream_no_credit'
  | 'service_unavailable'
  | 'upstream_timeout'
>

/** How a dialect reads its own words. `sure` goes before the HTTP status, `rough` only where there is none. */
export type Vocabulary = {
  sure(word: string): UpstreamCode | undefined
  rough(word: string): UpstreamCode | undefined
}

const OWN_WORDS = {
  bad_request: 'The upstream rejected the request.',
  unsupported_parameter: 'The upstream does not support a part of the request.',
  context_length_exceeded: 'The request is longer than the context of the model.',
  content_policy_violation: 'The content of the request was rejected.',
  not_found: 'The upstream does not know this object.',
  conflict: 'The object is in a state that does not allow this.',
  request_too_large: 'The request is larger than the upstream takes.',
  rate_limit_exceeded: 'The upstream limits the rate of requests.',
  upstream_error: 'The upstream failed to answer.',
  upstream_auth_error: 'The upstream rejected the credential of this gateway.',
  upstream_model_not_found: 'The upstream does not have the model that this gateway asks it for.',
  upstream_unknown_url: 'The upstream does not have the URL that this gateway calls.',
  upstream_no_credit: "The gateway's account at the upstream has no credit.",
  service_unavailable: 'The upstream is overloaded or not available.',
  upstream_timeout: 'The upstream did not answer in time.',
} satisfies Record<UpstreamCode, string>

/** What the error bodies of all dialects, and of the many that imitate them, have in common. */
export type UpstreamFacts = {
  /** A JSON object, as every dialect's error is; anything else comes from a proxy in between. */
  structured: boolean
  message: string | undefined
  param: string | undefined
  /** Type, code and status words, the most particular first. */
  words: string[]
  /** The code among these words, if it is one. */
  code: string | undefined
  /** A status given inside the body, as streams do. */
  status: number | undefined
  details: unknown[]
}

export function readUpstreamError(status: number, body: unknown, vocabulary: Vocabulary): ErrorInfo {
  const error = readError(status, body, vocabulary)
  return tellsUsage(body) ? { ...error, billed: true } : error
}

function readError(status: number, body: unknown, vocabulary: Vocabulary): ErrorInfo {
  const facts = readFacts(body)
  const code = refine(classify(status, facts, vocabulary), facts, status)
  const text = facts.message === undefined ? undefined : maskSecrets(facts.message)
  // Only what is wrong with the request itself is told in the upstream's words; the rest is for our log.
  if (ERRORS[code].status === 400) {
    const param = facts.param === undefined ? {} : { param: maskSecrets(facts.param).slice(0, 200) }
    return { code, message: text || OWN_WORDS[code], ...param, ...vendorCodeOf(code, facts) }
  }
  const detail = [status, ...facts.words.map((word) => maskSecrets(word).slice(0, 100)), text?.slice(0, 200)]
  return { code, message: OWN_WORDS[code], detail: detail.filter((part) => part !== undefined).join(' ') }
}

/** What an upstream said of its error. For the operator alone: it may quote the request. */
export type UpstreamWords = { code?: string; message?: string }

const LONGEST_WORDS = 300

/** Masked, and cut only then: half a key would not be known as one. `code`: its own, else its most particular word. */
export function upstreamWords(body: unknown): UpstreamWords {
  const { message, code, words } = readFacts(body)
  const word = code ?? words[0]
  return {
    ...(word === undefined ? {} : { code: maskSecrets(word).slice(0, 100).toWellFormed() }),
    ...(message === undefined ? {} : { message: maskSecrets(message).slice(0, LONGEST_WORDS).toWellFormed() }),
  }
}

/** A caller of the same dialect may know the code. Of a context that is too long clients know one code alone. */
const vendorCodeOf = (code: UpstreamCode, { code: vendorCode }: UpstreamFacts): Pick<ErrorInfo, 'vendorCode'> =>
  vendorCode === undefined || code === 'context_length_exceeded' || ERRORS[code].fault === 'gateway'
    ? {}
    : { vendorCode }

/** What an upstream's failure is called is the caller's to read in a stream of its own dialect, unlike what concerns the operator. */
const TOLD_IN_STREAMS: ReadonlySet<string> = new Set([
  'upstream_error',
  'service_unavailable',
  'upstream_timeout',
  'rate_limit_exceeded',
] satisfies UpstreamCode[])

/** The error within a stream that passes through, in the upstream's words. `body`: the event. */
export function inVendorWords(error: ErrorInfo, body: unknown): ErrorInfo {
  const facts = readFacts(body)
  if (!TOLD_IN_STREAMS.has(error.code) || facts.message === undefined) return error
  const { code } = facts
  return {
    ...error,
    message: maskSecrets(facts.message).slice(0, 1_000),
    ...(code === undefined ? {} : { vendorCode: code }),
  }
}

function classify(status: number, facts: UpstreamFacts, vocabulary: Vocabulary): UpstreamCode {
  const sure = firstKnown(facts.words, vocabulary.sure) ?? firstKnown(facts.words, amazonCode)
  if (sure !== undefined) return sure
  if (status >= 400) return byStatus(status, facts)
  if (facts.status !== undefined) return byStatus(facts.status, facts)
  return firstKnown(facts.words, vocabulary.rough) ?? 'upstream_error'
}

function firstKnown(words: string[], read: (word: string) => UpstreamCode | undefined): UpstreamCode | undefined {
  for (const word of words) {
    const code = read(word)
    if (code !== undefined) return code
  }
  return undefined
}

function byStatus(status: number, facts: UpstreamFacts): UpstreamCode {
  switch (status) {
    case 400:
    case 422:
      return facts.structured ? 'bad_request' : 'upstream_error'
    case 401:
    case 403:
      return 'upstream_auth_error'
    case 402:
      return 'upstream_no_credit'
    case 404:
      return IN_CONVERSATION.test(facts.param ?? '') ? 'bad_request' : 'upstream_unknown_url'
    case 405:
      return 'upstream_unknown_url'
    case 408:
    case 504:
    case 524:
      return 'upstream_timeout'
    case 413:
      return 'request_too_large'
    case 429:
      return 'rate_limit_exceeded'
    case 503:
    case 529:
      return 'service_unavailable'
    default:
      return 'upstream_error'
  }
}

/** What a caller has named there by its id, and is not kept any more, says nothing about the model or the credential. */
const IN_CONVERSATION = /^(input|messages)\b/

// Some upstreams have no word for these and say them only in prose, under a plain 400.
const CONTEXT_PROSE = [
  'context length',
  'context window',
  'context limit',
  'context size',
  'maximum prompt length',
  'prompt is too long',
  'input is too long',
  'input token count',
  'input tokens exceed',
]
const KEY_PROSE = ['api key not valid', 'invalid api key', 'incorrect api key', 'api key expired']
const CREDIT_PROSE = ['credit balance', 'prepayment credits are depleted']
const POLICY_PROSE = ['blocked by content filtering policy']
const MODEL_PROSE = ['model identifier is invalid', 'with on-demand throughput isn']
/** How servers and proxies say that nothing is at a URL. A 404 in other words is about something else that the request names. */
const URL_PROSE =
  /^\W*(404\W*)?((resource|page|path|route|url)\W*)?not found\W*$|\b(invalid|unknown|no such|unsupported) (request )?(url|path|route)\b|^cannot (get|post)\b|\bno route\b|\bmethod not allowed\b/i

/** A word for it, or a 404 that speaks of it: a 404 may also be about an object that only this request names. */
function isAboutModel({ words, message = '' }: UpstreamFacts, status: number): boolean {
  if (words.some((word) => MODEL_WORDS.test(word))) return true
  return (
    (status === 404 || words.includes('NOT_FOUND')) && /\bmodels?\b|deployment/i.test(`${words.join(' ')} ${message}`)
  )
}

const MODEL_WORDS = /^model_not_found$|^InvalidEndpointOrModel/

function refine(code: UpstreamCode, facts: UpstreamFacts, status: number): UpstreamCode {
  if ((code === 'upstream_auth_error' || code === 'upstream_unknown_url') && isAboutModel(facts, status))
    return 'upstream_model_not_found'
  const { message } = facts
  if (message === undefined) return code
  const prose = message.slice(0, 2_000)
  if (code === 'upstream_unknown_url')
    return facts.structured && facts.code !== 'unknown_url' && !URL_PROSE.test(prose) ? 'upstream_error' : code
  if (code !== 'bad_request' && code !== 'rate_limit_exceeded') return code
  const says = (phrases: readonly string[]): boolean => phrases.some((phrase) => prose.toLowerCase().includes(phrase))
  if (says(CREDIT_PROSE)) return 'upstream_no_credit'
  if (code === 'rate_limit_exceeded') return code
  if (says(KEY_PROSE)) return 'upstream_auth_error'
  if (says(MODEL_PROSE)) return 'upstream_model_not_found'
  if (says(POLICY_PROSE)) return 'content_policy_violation'
  return says(CONTEXT_PROSE) ? 'context_length_exceeded' : code
}

/** Finds the error in `{error: {...}}`, `{error: "..."}`, `{response: {error}}`, `[{error}]`, and flat forms. */
export function readFacts(body: unknown): UpstreamFacts {
  const outer = Array.isArray(body) ? body[0] : body
  if (!isObject(outer)) {
    const message = typeof body === 'string' && body.trim() !== '' ? body.trim() : undefined
    return { structured: false, message, param: undefined, words: [], code: undefined, status: undefined, details: [] }
  }
  const response = isObject(outer.response) ? outer.response : undefined
  const named = [outer.error, response?.error].find(isObject)
  const inner = named ?? outer
  const said = [
    inner.message,
    outer.error,
    outer.message,
    outer.detail,
    firstDetail(outer.detail),
    ...rarer(inner, outer),
  ]
  const codes = [inner.code, outer.code]
  const message = said.find(isText)
  const hosted = errorWithin(message)
  // What is wrapped twice is not looked for: nobody sends that.
  const within = isObject(hosted?.error) ? hosted.error : undefined
  const filters = filtersIn(inner)
  return {
    structured: true,
    message: isText(within?.message) ? within.message : message && message + filters,
    param: [inner.param, ...places(outer)].find(isText),
    words: [...codes, within?.type, inner.status, inner.type, outer.type].filter(isText),
    code: codes.find((code): code is string => typeof code === 'string' && /^[a-z][\w.-]{0,63}$/i.test(code)),
    status: codes.map(numberIn).find((code) => Number.isInteger(code) && code >= 400 && code <= 599),
    details: Array.isArray(inner.details) ? inner.details : [],
  }
}

/** Whether tokens are told of as well. Zeros are none. */
function tellsUsage(body: unknown): boolean {
  if (!isObject(body)) return false
  const places = [body, body.error, body.response].filter(isObject)
  const reports = places.flatMap(({ usage, usageMetadata }) => [usage, usageMetadata]).filter(isObject)
  return reports.some((report) => Object.values(report).some((figure) => numberIn(figure) > 0))
}

/** Where services that keep to no dialect put their words. */
function rarer(inner: Record<string, unknown>, outer: Record<string, unknown>): unknown[] {
  const { message, errors, base_resp: base } = outer
  return [
    outer.Message,
    isObject(message) ? firstDetail(message.detail) : undefined,
    inner.detail,
    outer.msg,
    Array.isArray(errors) && isObject(errors[0]) ? errors[0].message : undefined,
    isObject(base) ? base.status_msg : undefined,
  ]
}

/** `{"detail":[{"loc":[...],"msg":"..."}]}`, what validators written in Python answer with 422. */
function firstDetail(detail: unknown): unknown {
  const first = Array.isArray(detail) ? detail[0] : undefined
  return isObject(first) ? first.msg : undefined
}

/** Their message often does not name the field: `["body","store"]` beside it does. */
function places({ detail, message }: Record<string, unknown>): (string | undefined)[] {
  return [detail, isObject(message) ? message.detail : undefined].map((details) => {
    const first = Array.isArray(details) ? details[0] : undefined
    const loc = isObject(first) && Array.isArray(first.loc) ? first.loc : []
    const steps = loc.filter((step) => typeof step === 'string' || typeof step === 'number')
    return (steps[0] === 'body' ? steps.slice(1) : steps).join('.')
  })
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Anything but a number or a text is none: an object that says so itself could make reading it fail. */
function numberIn(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
