// All faults, in the order in which they run.
import { BREAKS } from './breaks.ts'
import { BYTES } from './bytes.ts'
import type { Fault } from './fault.ts'
import { HTTP2 } from './http2.ts'
import { SWITCHES } from './switches.ts'

export const FAULTS: readonly Fault[] = [...BREAKS, ...BYTES, ...SWITCHES, ...HTTP2]
