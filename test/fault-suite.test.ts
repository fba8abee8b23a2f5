// A share of `npm run faults`: most faults, with the same dialect on both sides, and one pair of dialects translated.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { openStage, type Stage } from '../faults/suite.ts'
import { FAULTS } from '../faults/table.ts'

setDefaultTimeout(180_000)

const SHARE = FAULTS.filter(({ onlyInFull }) => !onlyInFull)

let stage: Stage
beforeAll(async () => {
  stage = await openStage(SHARE, 'small')
})
afterAll(async () => {
  expect((await stage.close()).all).toEqual([])
})

test.each(SHARE.map((fault) => [fault.name, fault] as const))('%s', async (_, fault) => {
  expect((await stage.run(fault)).findings.all).toEqual([])
})
