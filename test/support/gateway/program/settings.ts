// Runs before main.ts in a gateway of tests: replaces waits, so that no test sleeps through them, and the cost of password hashes.
import { STREAM_TIMING } from '../../../../packages/gateway/src/paid-call/writing/stream-timing.ts'
import { TASK_TIMING } from '../../../../packages/gateway/src/tasks/timing.ts'
import { NAME_RESOLVER } from '../../../../packages/gateway/src/upstreams/public/name-checks.ts'
import { hashCheaply } from './cheap-passwords.ts'
import './migrations.ts'

const { stream, tasks, realPasswords, hosts = {} } = JSON.parse(process.env.TEST_SETTINGS ?? '{}')
Object.assign(STREAM_TIMING, stream)
Object.assign(TASK_TIMING, tasks)
// No test asks a real name server.
NAME_RESOLVER.resolve = (name) => (hosts[name] === null ? new Promise(() => {}) : Promise.resolve(hosts[name] ?? []))
if (!realPasswords) hashCheaply()
