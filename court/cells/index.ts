// All cells, area by area.
import type { Cell } from '../cell.ts'
import { ANSWERS } from './answers.ts'
import { ENDPOINT_CELLS } from './endpoints.ts'
import { ERRORS } from './errors.ts'
import { FAULT_CELLS } from './faults.ts'
import { MONEY } from './money.ts'
import { STREAMING } from './streaming.ts'

export const CELLS: readonly Cell[] = [...ANSWERS, ...STREAMING, ...ERRORS, ...ENDPOINT_CELLS, ...FAULT_CELLS, ...MONEY]
