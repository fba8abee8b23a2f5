export { decodeError, encodeError, encodeStreamError } from './error.ts'
