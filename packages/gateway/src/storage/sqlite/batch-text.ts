// Reads batches that an earlier version left pending: one text, fields ended by NULs. Each verb is what it was decided as;
// a verb that had got another form had got another word.
import type { Verb } from '../../money/ledger.ts'

export function decodeTextBatch(batch: string): Verb[] {
  const fields = batch.split('\0')
  const verbs: Verb[] = []
  let index = 0
  const text = (): string => fields[index++] as string
  const big = (): bigint => BigInt(text())
  const small = (): number => Number(text())
  const owned = () => ({ id: big(), slot: small(), epoch: small() })
  // The last NUL ends a field too, so behind it is an empty one. Values are evaluated in the order they are written in.
  while (index < fields.length - 1) {
    const verb = text()
    switch (verb) {
      case 'hold':
      case 'hold2': {
        const isNew = verb === 'hold2'
        verbs.push({
          verb: 'hold',
          id: big(),
          slot: small(),
          epoch: small(),
          account: big(),
          key: big(),
          amount: big(),
          minimum: big(),
          model: text(),
          upstream: text(),
          revision: isNew ? small() : 0,
          extensible: isNew && text() === '1',
          tokens: isNew ? small() : 0,
          minimumTokens: isNew ? small() : 0,
        })
        break
      }
      case 'extend':
        verbs.push({
          ...{ verb, ...owned(), known: big(), amount: big(), minimum: big(), tokens: 0, progress: big(), whole: true },
        })
        break
      case 'extend2':
        verbs.push({
          ...{ verb: 'extend', ...owned(), known: big(), amount: big(), minimum: big(), tokens: small() },
          progress: big(),
        })
        break
      case 'settle':
      case 'settle2':
        verbs.push({
          verb: 'settle',
          id: big(),
          slot: small(),
          epoch: small(),
          cost: big(),
          tokens: verb === 'settle2' ? small() : 0,
          ending: text(),
          receipt: text(),
        })
        break
      case 'void':
        verbs.push({ verb, ...owned(), ending: text(), receipt: text() })
        break
      case 'reap':
        verbs.push({ verb, limit: small() })
        break
      case 'join':
        verbs.push({ verb, slot: small(), config: text(), takeover: text() === '1' })
        break
      case 'renew':
        verbs.push({ verb, slot: small(), epoch: small(), config: text() })
        break
      case 'leave':
        verbs.push({ verb, slot: small(), epoch: small() })
        break
      default:
        throw new Error(`not a verb: ${verb}`)
    }
  }
  return verbs
}
