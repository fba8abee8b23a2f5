// Runs the queries that both engines share.

import type { Row } from '../sql/rows.ts'
import { bindParameters, type OnStep, type Runner, type Statement } from '../sql/statements.ts'
import type { Connections } from './connections/connections.ts'
import type { Kind } from './connections/work-pool.ts'
import { orDown, retryOrDown } from './faults.ts'

/** Thrown inside a transaction to undo it: a required statement returned no row. */
class Undo extends Error {}

export function openRunner(of: (kind: Kind) => Connections): Runner {
  const readOver =
    (connections: Connections): Runner['read'] =>
    ({ sql, parameters }) =>
      orDown(() => connections.query(sql, parameters))
  const read = readOver(of('query'))
  const [reports, changes] = [of('report'), of('change')]
  return {
    read,
    readLedger: read,
    readPage: readOver(of('page')),
    readSlowly: (statements, onStep) =>
      orDown(() =>
        reports.transaction('isolation level repeatable read read only', (query) => inOrder(query, statements, onStep)),
      ),
    async write(statements) {
      try {
        return await retryOrDown(() => changes.transaction('', (query) => inOrder(query, statements)))
      } catch (error) {
        if (error instanceof Undo) return undefined
        throw error
      }
    },
  }
}

async function inOrder(
  query: Connections['query'],
  statements: readonly Statement[],
  onStep?: OnStep,
): Promise<Row[][]> {
  const answers: Row[][] = []
  const parameters = bindParameters()
  for (const step of statements) {
    const rows = await query(step.sql, parameters.of(step))
    if (step.required && rows.length === 0) throw new Undo()
    parameters.note(step, rows)
    answers.push(rows)
    onStep?.(answers.length)
  }
  return answers
}
