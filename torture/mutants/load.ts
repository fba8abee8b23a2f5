// Preloaded by a program that tries mutants: it gets the copies with the switches in place of the files of the ledger and the prices.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type BunPlugin, plugin } from 'bun'
import { MONEY } from './files.ts'
import { SWITCH_NAME } from './mutant.ts'

const copies = process.env.TRIVIUM_MUTANTS ?? ''
const mutant = Number(process.env.TRIVIUM_MUTANT ?? 0)
Object.assign(globalThis, { [SWITCH_NAME]: mutant })

const mutants: BunPlugin = {
  name: 'mutants',
  setup(build) {
    build.onLoad({ filter: /\/packages\/gateway\/src\/money\/(?!.*\.test\.ts$).*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(join(copies, relative(MONEY, path)), 'utf8'),
      loader: 'ts',
    }))
  },
}
plugin(mutants)

// The writer of SQLite runs the ledger on a thread, whose code is bundled.
const build = Bun.build
Bun.build = (options) => build({ ...options, banner: `globalThis.${SWITCH_NAME} = ${mutant};`, plugins: [mutants] })
