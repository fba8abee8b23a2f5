import { expect, test } from 'bun:test'
import { createAdmission, type Place } from './admission.ts'
import { TestClient } from './test-support.ts'

/** An admission by a clock that stands still unless it is moved. */
function admissionOf(inFlight: number, memoryBytes = 100) {
  let [now, busy] = [0, 0]
  const admission = createAdmission({ inFlight, memoryBytes }, () => now)
  const places: (Place | undefined)[] = []
  return {
    admission,
    /** In the order in which they were answered; undefined: sent home. */
    places,
    /** Time passes, tick by tick. */
    async pass(ms: number) {
      for (let end = now + ms; now < end; ) {
        now += 250
        admission.tick(now, busy)
      }
      await settled()
    },
    /** From here on the processor has no time to spare. */
    strain() {
      busy = 1
    },
    wait(bytes: number, client = new TestClient()) {
      admission.wait(bytes, client, (place) => places.push(place))
    },
  }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test('counts requests and their weight; a place is given back once', () => {
  const { admission } = admissionOf(2)
  const first = admission.enter(60)
  expect(admission.enter(50)).toBeUndefined()
  first?.resize(10)
  const second = admission.enter(50)
  expect([admission.inFlight, admission.bytes, admission.enter(0)]).toEqual([2, 60, undefined])
  first?.leave()
  first?.leave()
  first?.resize(1_000)
  expect([admission.inFlight, admission.bytes]).toEqual([1, 50])
  second?.leave()
  expect([admission.inFlight, admission.bytes]).toEqual([0, 0])
})

test('one that is larger than everything gets in when nothing is held', () => {
  const { admission } = admissionOf(2)
  expect(admission.enter(1_000)).toBeDefined()
  expect(admission.enter(1)).toBeUndefined()
})

test('limits can change while requests run and others wait', async () => {
  const { admission, wait, places } = admissionOf(1)
  admission.enter(1)
  expect(admission.enter(1)).toBeUndefined()
  wait(1)
  admission.setLimits({ inFlight: 3, memoryBytes: 100 })
  await settled()
  expect([places.length, admission.inFlight]).toEqual([1, 2])
  expect(admission.enter(1)).toBeDefined()
})

test('who waits is served in the order of coming, and nobody comes between', async () => {
  const { admission, wait, places } = admissionOf(1)
  const running = admission.enter(10)
  wait(1)
  wait(2)
  running?.leave()
  // The place is taken for the first one, though he has not heard of it yet.
  expect([admission.enter(1), admission.bytes, admission.waiting]).toEqual([undefined, 1, 1])
  await settled()
  places[0]?.leave()
  await settled()
  expect([places.length, admission.bytes, admission.waiting]).toEqual([2, 2, 0])
})

test('a body that is let go of makes room for those who wait for memory, the first of them first', async () => {
  const { admission, wait, places } = admissionOf(10)
  const running = admission.enter(90)
  wait(50)
  wait(5)
  await settled()
  expect([places.length, admission.enter(5)]).toEqual([0, undefined])
  running?.resize(50)
  await settled()
  expect([places.length, admission.bytes, admission.waiting]).toEqual([1, 100, 1])
  running?.resize(0)
  await settled()
  expect([places.length, admission.bytes, admission.inFlight]).toEqual([2, 55, 3])
})

test('after half a second one is sent home, and its place in line is free', async () => {
  const { admission, wait, places, pass } = admissionOf(1)
  admission.enter(1)
  wait(1)
  await pass(250)
  expect(places).toEqual([])
  await pass(250)
  expect([places, admission.waiting, admission.inFlight]).toEqual([[undefined], 0, 1])
})

test('a client that leaves leaves the line', async () => {
  const { admission, wait, places } = admissionOf(1)
  const running = admission.enter(1)
  const leaving = new TestClient()
  wait(60, leaving)
  wait(90)
  // With the first in line, the second would be more than may wait.
  await settled()
  expect(places).toEqual([undefined])
  leaving.leave()
  wait(90)
  running?.leave()
  await settled()
  expect([places.length, places[2] !== undefined, admission.bytes]).toEqual([3, true, 90])
  wait(1, leaving)
  await settled()
  expect([places.length, admission.waiting]).toEqual([4, 0])
})

test('the line is bounded; when it is full everybody else is to be refused at once', async () => {
  const { admission, wait, places } = admissionOf(1)
  admission.enter(0)
  let waiting = 0
  for (; !admission.isShedding && waiting < 10_000; waiting++) wait(0)
  expect(waiting).toBe(64)
  wait(0)
  await settled()
  expect(places).toEqual([undefined])
})

test('the line is as long as the pace allows, and shorter once it does not get empty', async () => {
  const { admission, wait, places, pass } = admissionOf(500, 1e9)
  // 500 in a quarter of a second: 1,000 are served while one waits.
  for (let round = 0; round < 40; round++) {
    for (let count = 0; count < 500; count++) admission.enter(1)?.leave()
    await pass(250)
  }
  for (let count = 0; count < 500; count++) places.push(admission.enter(1))
  const lengths: number[] = []
  for (let round = 0; round < 12; round++) {
    for (let part = 0; part < 5; part++) {
      while (!admission.isShedding) wait(1)
      if (part === 0) lengths.push(admission.waiting)
      for (const place of places.splice(0, 100)) place?.leave()
    }
    await pass(250)
  }
  expect(lengths[0]).toBe(1_000)
  expect(lengths.at(-1)).toBeLessThan(500)
})

test('the line is shorter as soon as the processor cannot follow, however empty it was', async () => {
  const { admission, wait, pass, strain } = admissionOf(10_000, 1e9)
  const serve = async () => {
    for (let count = 0; count < 1_000; count++) admission.enter(1)?.leave()
    await pass(250)
  }
  for (let round = 0; round < 40; round++) await serve()
  for (let count = 0; count < 200; count++) admission.enter(1)
  strain()
  for (let round = 0; round < 4; round++) await serve()
  expect(admission.isBehind).toBe(true)
  while (!admission.isShedding) wait(1)
  // As many as are served in a tenth of a second, and not in half of one: 4,000 a second, and the 200 lately.
  expect(admission.waiting).toBe(409)
})

test('where the processor cannot follow, only those are let in whom it can serve; who is at an upstream does not count', async () => {
  const { admission, wait, places, pass, strain } = admissionOf(10_000, 1e9)
  const running = Array.from({ length: 172 }, () => admission.enter(1))
  await pass(2_000)
  expect(admission.enter(1)).toBeDefined()
  strain()
  await pass(750)
  expect(admission.isBehind).toBe(false)
  await pass(250)
  expect(admission.enter(1)).toBeUndefined()
  // 173 are at work. With 45 of them away there is still nobody too few.
  for (const place of running.slice(0, 45)) place?.setAway(true)
  wait(1)
  await settled()
  expect(places).toEqual([])
  running[45]?.setAway(true)
  running[45]?.setAway(true)
  await settled()
  expect([places.length, admission.inFlight]).toEqual([1, 174])
  // Whoever comes back is at work again, and whoever leaves from there makes no room at work.
  running[0]?.setAway(false)
  wait(1)
  running[1]?.leave()
  await settled()
  expect(places.length).toBe(1)
  for (const place of running.slice(46, 48)) place?.leave()
  await settled()
  expect(places.length).toBe(2)
})

test('who waits when the process ends is sent home, and nobody waits any more', async () => {
  const { admission, wait, places, pass } = admissionOf(1)
  admission.enter(1)
  wait(1)
  admission.close()
  await pass(250)
  wait(1)
  await settled()
  expect([places, admission.isShedding]).toEqual([[undefined, undefined], true])
})
