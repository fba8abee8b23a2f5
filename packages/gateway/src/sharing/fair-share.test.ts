import { expect, test } from 'bun:test'
import { mayTake, mostPerAccount, reservedForNewAccounts } from './fair-share.ts'

/** The slots of one account after the other, while each takes all it can. */
function takeAll(limit: number, accounts: number): number[] {
  let taken = 0
  return Array.from({ length: accounts }, () => {
    let held = 0
    for (; mayTake(held, taken, limit); taken++) held++
    return held
  })
}

test.each([
  [1, [1, 0]],
  [2, [1, 1, 0]],
  [3, [1, 1, 1, 0]],
  [4, [2, 1, 1, 0]],
  [64, [32, 28, 1, 1, 1, 1, 0]],
  [4_096, [2_048, 1_792, 1, 1]],
])('of %d one account takes half, the next all but a sixteenth, and accounts that hold none one each', (limit, each) => {
  expect(takeAll(limit, each.length)).toEqual(each)
  expect([mostPerAccount(limit), reservedForNewAccounts(limit)]).toEqual([
    Math.max(1, limit >> 1),
    Math.max(1, limit >> 4),
  ])
})
