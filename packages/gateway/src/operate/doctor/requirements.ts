// What the database must have for the ledger, each by its name.
import type { Storage } from '../../storage/storage.ts'
import type { Question } from './question.ts'

export const DATABASE = 'database'

/** None if the engine brings its database along. */
export const requirementQuestions = ({ requirements }: Pick<Storage, 'requirements'>): Question[] =>
  requirements.map(({ name, advice, check }) => ({ check: `${DATABASE} ${name}`, advice, ask: check }))
