import { expect, test } from 'bun:test'
import { createUnsentResponses } from './unsent-responses.ts'

/** A limit of 100 bytes, 50 for each account. */
function responses() {
  const givenUp: string[] = []
  const unsent = createUnsentResponses(() => 200)
  const open = (account: number, name: string, bytes: number) => {
    const response = unsent.open(BigInt(account), () => givenUp.push(name))
    response.weigh(bytes)
    return response
  }
  return { unsent, open, givenUp }
}

test('within its share an account has as many as it wants', () => {
  const { unsent, open, givenUp } = responses()
  for (const account of [1, 2]) for (let count = 0; count < 5; count++) open(account, `${account}`, 10)
  expect([unsent.bytes, givenUp]).toEqual([100, []])
})

test('beyond its share an account loses its own, the one that was read least recently first', () => {
  const { open, givenUp } = responses()
  open(2, 'other', 30)
  const first = open(1, 'first', 20)
  open(1, 'second', 20)
  first.weigh(19)
  open(1, 'third', 20)
  expect(givenUp).toEqual(['second'])
})

test('when all is full, the account with the most loses, not one that has little', () => {
  const { open, givenUp } = responses()
  open(1, 'heavy', 45)
  open(2, 'light', 10)
  open(3, 'new', 46)
  expect(givenUp).toEqual(['heavy'])
})

test('a single response of an account may be larger than the limit, until another one comes', () => {
  const { unsent, open, givenUp } = responses()
  open(1, 'large', 150)
  expect(givenUp).toEqual([])
  open(2, 'small', 10)
  expect([givenUp, unsent.bytes]).toEqual([['large'], 10])
})

test('a response beyond its share displaces another one of that size, not the small ones of others', () => {
  const { unsent, open, givenUp } = responses()
  for (let account = 3; account < 8; account++) open(account, `${account}`, 10)
  open(1, 'large', 150)
  expect(givenUp).toEqual([])
  open(2, 'as large', 151)
  expect([givenUp, unsent.bytes]).toEqual([['large'], 201])
})

test('however many accounts there are, all together stay within the limit', () => {
  const { unsent, open } = responses()
  for (let account = 1; account < 50; account++) {
    open(account, `${account}`, account)
    expect(unsent.bytes).toBeLessThanOrEqual(100)
  }
})

test('nothing is counted of what was sent, ended or given up', () => {
  const { unsent, open } = responses()
  const first = open(1, 'first', 40)
  const second = open(1, 'second', 40)
  first.weigh(40)
  second.weigh(0)
  expect(unsent.bytes).toBe(0)
  second.end()
  second.end()
  first.end()
  const third = open(1, 'third', 40)
  third.end()
  expect(unsent.bytes).toBe(0)
})
