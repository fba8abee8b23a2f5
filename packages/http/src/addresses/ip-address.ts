// IP addresses as numbers: parsing, formatting, blocks, and which of them belong to the public internet. Pure.
//
// Only canonical spellings are accepted. `127.1`, `0177.0.0.1` or `2130706433` are not addresses here, and must never be
// compared as text: what one library treats as a name, another connects to.

export type Ip = { family: 4 | 6; value: bigint }

/** Addresses that share their first `prefix` bits. */
export type Block = { family: 4 | 6; first: bigint; prefix: number }

/**
 * - `public`: the public internet.
 * - `translated`: a public IPv4 address behind a network's IPv6 translator (NAT64), as its resolvers return it.
 * - `private`: this machine or its network.
 * - `special`: never a legitimate target: metadata services, multicast, documentation, tunnels.
 */
export type AddressKind = 'public' | 'translated' | 'private' | 'special'

const BITS = { 4: 32, 6: 128 } as const
const LOW_32 = 0xffff_ffffn

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  let value = 0n
  for (const part of parts) {
    // A leading zero means octal to some parsers and decimal to others: rejected.
    if (!/^(0|[1-9][0-9]{0,2})$/.test(part) || Number(part) > 255) return undefined
    value = (value << 8n) | BigInt(part)
  }
  return value
}

/** The 16-bit groups of one side of `::`; a dotted IPv4 tail counts as two. */
function groupsOf(text: string, mayEndInIpv4: boolean): number[] | undefined {
  if (text === '') return []
  const groups: number[] = []
  const parts = text.split(':')
  for (const [index, part] of parts.entries()) {
    if (part.includes('.')) {
      const tail = mayEndInIpv4 && index === parts.length - 1 ? parseIpv4(part) : undefined
      if (tail === undefined) return undefined
      groups.push(Number(tail >> 16n), Number(tail & 0xffffn))
    } else {
      if (!/^[0-9a-f]{1,4}$/i.test(part)) return undefined
      groups.push(Number.parseInt(part, 16))
    }
  }
  return groups
}

function parseIpv6(text: string): bigint | undefined {
  const sides = text.split('::')
  if (sides.length > 2) return undefined
  const [left = '', right] = sides
  const head = groupsOf(left, right === undefined)
  const tail = right === undefined ? [] : groupsOf(right, true)
  if (head === undefined || tail === undefined) return undefined
  const missing = 8 - head.length - tail.length
  // `::` stands for at least one group.
  if (right === undefined ? missing !== 0 : missing < 1) return undefined
  let value = 0n
  for (const group of [...head, ...new Array<number>(missing).fill(0), ...tail]) value = (value << 16n) | BigInt(group)
  return value
}

/** IPv4-mapped IPv6 (`::ffff:10.0.0.1`) is parsed as the IPv4 address. Zones and brackets are not accepted. */
export function parseIp(text: string): Ip | undefined {
  if (text.length > 45) return undefined
  if (!text.includes(':')) {
    const value = parseIpv4(text)
    return value === undefined ? undefined : { family: 4, value }
  }
  const value = parseIpv6(text)
  if (value === undefined) return undefined
  return value >> 32n === 0xffffn ? { family: 4, value: value & LOW_32 } : { family: 6, value }
}

/** The canonical form (RFC 5952 for IPv6), suitable for comparisons and as a key. */
export function formatIp(ip: Ip): string {
  if (ip.family === 4) return [24n, 16n, 8n, 0n].map((shift) => (ip.value >> shift) & 0xffn).join('.')
  const groups = Array.from({ length: 8 }, (_, index) => Number((ip.value >> BigInt(112 - index * 16)) & 0xffffn))
  let bestStart = 0
  let bestLength = 1
  for (let start = 0; start < 8; start++) {
    let length = 0
    while (start + length < 8 && groups[start + length] === 0) length++
    if (length > bestLength) [bestStart, bestLength] = [start, length]
  }
  const write = (from: number, to: number) =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(':')
  return bestLength === 1 ? write(0, 8) : `${write(0, bestStart)}::${write(bestStart + bestLength, 8)}`
}

/** Parses `10.0.0.0/8` or a single address. Returns an error message for anything else. */
export function parseBlock(text: string): Block | string {
  const [address = '', length, ...rest] = text.trim().split('/')
  const ip = rest.length === 0 ? parseIp(address) : undefined
  if (ip === undefined) return `"${text}" is not an address or a block such as 10.0.0.0/8`
  // The written length of `::ffff:10.0.0.0/104` counts the 96 bits that the IPv4 address does not have.
  const shorter = ip.family === 4 && address.includes(':') ? 96 : 0
  const prefix = length === undefined ? BITS[ip.family] : Number(length) - shorter
  if ((length !== undefined && !/^[0-9]{1,3}$/.test(length)) || prefix < 0 || prefix > BITS[ip.family])
    return `"${text}" needs a length between ${shorter} and ${BITS[ip.family] + shorter} after the slash`
  const block: Block = { family: ip.family, first: ip.value, prefix }
  const first = (ip.value >> hostBits(block)) << hostBits(block)
  if (first !== ip.value)
    return `"${text}" is not the start of its block: write ${formatIp({ ...ip, value: first })}/${prefix}`
  return block
}

const hostBits = (block: Block) => BigInt(BITS[block.family] - block.prefix)

export function inBlock(ip: Ip, block: Block): boolean {
  return ip.family === block.family && (ip.value ^ block.first) >> hostBits(block) === 0n
}

function blocks(kind: AddressKind, ...texts: string[]): { kind: AddressKind; block: Block }[] {
  return texts.map((text) => {
    const block = parseBlock(text)
    if (typeof block === 'string') throw new Error(block)
    return { kind, block }
  })
}

/** Where clouds serve machines their credentials: also within private or public ranges. */
const METADATA = [
  ...blocks('special', '169.254.0.0/16', '100.100.100.200', '168.63.129.16', '192.0.0.192'),
  ...blocks('special', 'fd00:ec2::/32', 'fd20:ce::/32'),
]

/** IPv6 addresses that translators and tunnels take for IPv4 ones, and how many bits follow those. */
const EMBEDDING = (
  [
    ['64:ff9b::/96', 0n],
    ['64:ff9b:1::/48', 0n],
    ['::ffff:0:0:0/96', 0n],
    ['::/96', 0n],
    ['2002::/16', 80n],
  ] as const
).flatMap(([text, after]) => blocks('special', text).map(({ block }) => ({ block, after })))

/** Whether a metadata service is there, or behind it. */
export function isMetadataAddress(ip: Ip): boolean {
  if (METADATA.some(({ block }) => inBlock(ip, block))) return true
  return EMBEDDING.some(
    ({ block, after }) => inBlock(ip, block) && isMetadataAddress({ family: 4, value: (ip.value >> after) & LOW_32 }),
  )
}

// From the registries of special-purpose addresses (RFC 6890 and its updates). The first match decides.
const KINDS = [
  ...METADATA,
  ...blocks('private', '10.0.0.0/8', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'),
  ...blocks('private', '::1', 'fc00::/7'),
  ...blocks('special', '0.0.0.0/8', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24'),
  ...blocks('special', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'),
  ...blocks('public', '0.0.0.0/0'),
  // Only 2000::/3 of IPv6 is allocated; parts of it are tunnels (2001::, 2002::) and documentation.
  ...blocks('special', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'),
  ...blocks('public', '2000::/3'),
] as const

const NAT64: Block = { family: 6, first: 0x64ff9bn << 96n, prefix: 96 }

export function kindOf(ip: Ip): AddressKind {
  if (inBlock(ip, NAT64)) {
    const inner = kindOf({ family: 4, value: ip.value & LOW_32 })
    return inner === 'public' ? 'translated' : 'special'
  }
  return KINDS.find(({ block }) => inBlock(ip, block))?.kind ?? 'special'
}
