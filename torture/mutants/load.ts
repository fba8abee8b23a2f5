// Preloaded by a program that tries mutants: it gets the copies with the switches in place of the files of the ledger and the prices.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { plugin } from 'bun'
import { MONEY } from './files.ts'
import { SWITCH_NAME } from './mutant.ts'

const copies = process.env.TRIVIUM_MUTANTS ?? ''
Object.assign(globalThis, { [SWITCH_NAME]: Number(process.env.TRIVIUM_MUTANT ?? 0) })

plugin({
  name: 'mutants',
  setup(build) {
    build.onLoad({ filter: /\/packages\/gateway\/src\/money\/(?!.*\.test\.ts$).*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(join(copies, relative(MONEY, path)), 'utf8'),
      loader: 'ts',
    }))
  },
})
