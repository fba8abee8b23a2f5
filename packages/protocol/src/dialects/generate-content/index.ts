export { decodeError, encodeArrayStreamError, encodeError, encodeStreamError } from './error.ts'
