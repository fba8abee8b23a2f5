// Runs before main.ts in a gateway of tests: replaces waits, so that no test sleeps through them.
import { STREAM_TIMING } from '../../../packages/gateway/src/paid-call/stream-timing.ts'
import { TASK_TIMING } from '../../../packages/gateway/src/tasks/timing.ts'

const { stream, tasks } = JSON.parse(process.env.TEST_TIMING ?? '{}')
Object.assign(STREAM_TIMING, stream)
Object.assign(TASK_TIMING, tasks)
