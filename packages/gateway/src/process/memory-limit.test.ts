import { describe, expect, test } from 'bun:test'
import { memoryLimit, memoryLimitOf, usedMemoryOf } from './memory-limit.ts'

const MIB = 1024 ** 2
const MACHINE = 8 * 1024 * MIB
const UNLIMITED_V1 = '9223372036854771712\n'
const V1 = '/sys/fs/cgroup/memory'
const V2 = '/sys/fs/cgroup'

type Files = Record<string, string>
const limitOf = (groups: string | undefined, files: Files) => {
  const all: Files = { ...files, ...(groups === undefined ? {} : { '/proc/self/cgroup': groups }) }
  return memoryLimitOf(MACHINE, (path) => all[path])
}

describe('the limit of the container', () => {
  test.each<[name: string, groups: string, files: Files, mib: number]>([
    ['version 2', '0::/\n', { [`${V2}/memory.max`]: `${512 * MIB}\n` }, 512],
    [
      'version 2, of a service',
      '0::/system.slice/a.service\n',
      { [`${V2}/system.slice/a.service/memory.max`]: `${300 * MIB}\n` },
      300,
    ],
    [
      'version 2, of a group above',
      '0::/pods/one/two\n',
      { [`${V2}/pods/one/two/memory.max`]: 'max\n', [`${V2}/pods/memory.max`]: `${256 * MIB}\n` },
      256,
    ],
    [
      'version 2, where it is throttled earlier',
      '0::/\n',
      { [`${V2}/memory.max`]: `${512 * MIB}\n`, [`${V2}/memory.high`]: `${400 * MIB}\n` },
      400,
    ],
    ['version 2, with the path of another view', '0::/../../x\n', { [`${V2}/memory.max`]: `${128 * MIB}\n` }, 128],
    [
      'version 1',
      '5:cpu,cpuacct:/docker/1\n4:memory:/docker/1\n0::/\n',
      { [`${V1}/docker/1/memory.limit_in_bytes`]: `${64 * MIB}\n` },
      64,
    ],
    [
      'version 1, with the path of the host',
      '4:memory:/docker/1\n',
      { [`${V1}/memory.limit_in_bytes`]: `${1024 * MIB}\n` },
      1024,
    ],
    [
      'version 1, of a group above',
      '4:hugetlb,memory:/a/b\n',
      { [`${V1}/a/b/memory.limit_in_bytes`]: UNLIMITED_V1, [`${V1}/a/memory.limit_in_bytes`]: `${700 * MIB}\n` },
      700,
    ],
  ])('%s', (_, groups, files, mib) => {
    expect(limitOf(groups, files)).toEqual({ bytes: mib * MIB, of: 'container' })
  })
})

describe("the machine's memory", () => {
  test.each<[name: string, groups: string | undefined, files: Files]>([
    ['without control groups', undefined, {}],
    ['without a file', '0::/\n', {}],
    ['without a limit, version 2', '0::/\n', { [`${V2}/memory.max`]: 'max\n', [`${V2}/memory.high`]: 'max\n' }],
    ['without a limit, version 1', '4:memory:/\n', { [`${V1}/memory.limit_in_bytes`]: UNLIMITED_V1 }],
    ['with a limit beyond it', '0::/\n', { [`${V2}/memory.max`]: `${2 * MACHINE}\n` }],
    ['with files that are no numbers', '0::/\nnonsense\n', { [`${V2}/memory.max`]: '-1\n', [`${V2}/memory.high`]: '' }],
    ['with a limit of another controller', '3:pids:/a\n', { [`${V2}/a/memory.max`]: '1000\n' }],
  ])('%s', (_, groups, files) => {
    expect(limitOf(groups, files)).toEqual({ bytes: MACHINE, of: 'machine' })
  })
})

test('of this process it is known', () => {
  expect(memoryLimit().bytes).toBeGreaterThan(MIB)
})

describe('what is used of it', () => {
  const STATUS =
    'VmRSS:\t  125484 kB\nRssAnon:\t   61980 kB\nRssFile:\t   63048 kB\nRssShmem:\t     456 kB\nVmSwap:\t      20 kB\n'

  test('pages of files do not count: the system takes them back first', () => {
    expect(usedMemoryOf(STATUS, () => 1)).toBe((61_980 + 456 + 20) * 1_024)
  })

  test('where the system does not tell, all of it counts', () => {
    expect(usedMemoryOf(undefined, () => 7)).toBe(7)
    expect(usedMemoryOf('VmRSS:\t  125484 kB\n', () => 7)).toBe(7)
  })
})
