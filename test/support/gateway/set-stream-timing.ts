// Loaded before main.ts in a gateway of tests: replaces waits of streams, so that no test sleeps through them.
import { STREAM_TIMING } from '../../../packages/gateway/src/paid-call/stream-timing.ts'

Object.assign(STREAM_TIMING, JSON.parse(process.env.TEST_STREAM_TIMING ?? '{}'))
