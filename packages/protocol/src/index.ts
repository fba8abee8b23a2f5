// The public surface of the package: translation between the four text protocols. Everything else of `src` may change with every
// version; what stands here follows semantic versioning, and so do the types that it refers to.
//
// translateRequest   a client's request, for an upstream of another protocol. Its `translation` is for the response
// translateResponse  a whole response or error of the upstream, for the client
// translateStream    the same for a stream: bytes in, bytes out
// usageOf            the tokens that the upstream reported
// warningsOf         what had no equivalent
//
// No I/O, clock, randomness or platform: ids, time and what is behind URLs are passed in.

export type { ErrorCode, ErrorInfo } from './canonical/error.ts'
export type { Finish } from './canonical/finish.ts'
export { RequestError } from './canonical/reading.ts'
export type { CanonicalRequest } from './canonical/request.ts'
export type { Usage } from './canonical/usage.ts'
export type { Warn, WarnedField, WarningReason } from './canonical/warning.ts'
export { TEXT_DIALECT_IDS as PROTOCOLS, type TextDialectId as Protocol } from './dialects/index.ts'
export { usageOf, type Warning, warningsOf } from './translation/outcome.ts'
export {
  type AnswerOptions,
  type RequestOptions,
  type TranslatedRequest,
  translateRequest,
} from './translation/translate-request.ts'
export { type TranslatedResponse, translateResponse } from './translation/translate-response.ts'
export { type TranslatedStream, translateStream } from './translation/translate-stream.ts'
export type { ReplyObserver, Translation } from './translation/translation.ts'
