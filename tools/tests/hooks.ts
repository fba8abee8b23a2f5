// Preloaded by `npm test`. Says that a file has ended, which Bun itself does not when files run side by side. Fails a test whose gateway
// has ended with how that happened, and runs none of those after it.
import { afterAll, afterEach, beforeEach } from 'bun:test'
import { relative } from 'node:path'
import { forgetGateways, lossOfGateway, NOT_RUN } from '../../test/support/gateway/lost.ts'
import { ENDED } from './digest.ts'

beforeEach(() => {
  const loss = lossOfGateway()
  if (loss !== undefined) throw new Error(`${NOT_RUN}. ${loss}`)
  noticed = false
})
afterEach(() => {
  const loss = lossOfGateway()
  // A test that did not run has said so.
  if (loss === undefined || noticed) return
  noticed = true
  throw new Error(loss)
})
afterAll(() => {
  forgetGateways()
  process.stderr.write(`${ENDED}${relative(process.cwd(), Bun.main)}\n`)
})

let noticed = false
