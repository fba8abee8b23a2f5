// The tests themselves: each small mistake that one could make in the ledger or in the prices is noticed by one of them.
import { rmSync } from 'node:fs'
import { copyWithMutants } from '../mutants/files.ts'
import { judge } from '../mutants/judge.ts'
import type { Mutant } from '../mutants/mutant.ts'
import { isUnnoticed, UNNOTICED } from '../mutants/unnoticed.ts'
import type { Scenario } from '../scenario.ts'
import { SIZES } from '../sizes.ts'

export const mutants: Scenario = {
  name: 'mutants',
  title: 'small mistakes in the code of the ledger, one at a time: a test notices each',
  async run({ size, findings, say }) {
    const copies = await copyWithMutants()
    try {
      for (const entry of UNNOTICED)
        findings.must(
          copies.mutants.some((mutant) => isUnnoticed(mutant, entry)),
          `no mutant is left for: ${entry.file}, ${entry.within}: ${entry.what}`,
        )
      const all = copies.mutants.filter((mutant) => !UNNOTICED.some((entry) => isUnnoticed(mutant, entry)))
      const step = Math.max(1, Math.floor(all.length / SIZES[size].mutants))
      const chosen = all.filter((_, index) => index % step === 0)
      let done = 0
      for await (const { mutant, isKilled } of judge(copies, chosen)) {
        done += 1
        findings.must(isKilled, () => `no test notices ${named(mutant)}`)
        if (done % 50 === 0) say(`  ${done} of ${chosen.length} mutants`)
      }
      return `${done} mutants of ${all.length}; ${copies.mutants.length - all.length} more change nothing`
    } finally {
      rmSync(copies.folder, { recursive: true, force: true })
    }
  },
}

const named = ({ file, line, within, what, code }: Mutant): string => `${file}:${line} ${within}: ${what}, in ${code}`
