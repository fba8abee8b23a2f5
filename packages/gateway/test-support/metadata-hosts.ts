// Metadata services of the clouds as hosts of URLs, in every spelling that some parser, resolver or network takes for them.

const ADDRESSES = [
  [169, 254, 169, 254],
  [169, 254, 170, 2],
  [169, 254, 170, 23],
  [169, 254, 0, 1],
  [169, 254, 255, 255],
  [100, 100, 100, 200],
  [168, 63, 129, 16],
] as const
const IPV6 = [
  'fd00:ec2::254',
  'FD00:EC2::254',
  'fd00:0ec2:0000:0000:0000:0000:0000:0254',
  'fd00:ec2:0:0:0:0:0:254',
  'fd00:ec2::0.0.2.84',
  'fd00:ec2::23',
  'fd20:ce::254',
]
const NAMES = ['metadata.google.internal', 'metadata.goog', 'metadata', 'instance-data', 'instance-data.ec2.internal']

const hex = (number: number, digits = 0) => number.toString(16).padStart(digits, '0')
const octal = (number: number) => `0${number.toString(8)}`
const fullWidth = (text: string) =>
  [...text].map((each) => (/[!-~]/.test(each) ? String.fromCharCode(each.charCodeAt(0) + 0xfee0) : each)).join('')
const percent = (text: string) => [...text].map((each) => `%${hex(each.charCodeAt(0), 2)}`).join('')
const circled = (text: string) => text.replace(/[1-9]/g, (each) => String.fromCharCode(0x2460 + Number(each) - 1))

function spellingsOf([a, b, c, d]: (typeof ADDRESSES)[number]): string[] {
  const plain = `${a}.${b}.${c}.${d}`
  const number = ((a * 256 + b) * 256 + c) * 256 + d
  const [high, low] = [hex(a * 256 + b), hex(c * 256 + d)]
  return [
    ...[plain, `${plain}.`, String(number), `0x${hex(number)}`, `0${number.toString(8)}`],
    ...[
      [a, b, c, d].map((part) => `0x${hex(part)}`).join('.'),
      [a, b, c, d].map(octal).join('.'),
      `${octal(a)}.${b}.0x${hex(c)}.${d}`,
    ],
    ...[`${a}.${b * 65_536 + c * 256 + d}`, `${a}.${b}.${c * 256 + d}`, `00000${octal(a)}.${b}.${c}.${d}`],
    ...[fullWidth(plain), plain.replaceAll('.', '。'), plain.replaceAll('.', '｡'), circled(plain), percent(plain)],
    ...[
      `[::ffff:${plain}]`,
      `[::FFFF:${high}:${low}]`,
      `[0:0:0:0:0:ffff:${high}:${low}]`,
      `[::${plain}]`,
      `[::ffff:0:${plain}]`,
    ],
    ...[
      `[64:ff9b::${plain}]`,
      `[64:ff9b::${high}:${low}]`,
      `[64:ff9b:1::${plain}]`,
      `[2002:${high}:${low}::]`,
      `[2002:${high}:${low}::1]`,
    ],
  ]
}

/** As the authority of a URL has them. */
export const METADATA_HOSTS: readonly string[] = [
  ...ADDRESSES.flatMap(spellingsOf),
  ...IPV6.map((address) => `[${address}]`),
  ...NAMES.flatMap((name) => [
    ...[name, name.toUpperCase(), `${name}.`, fullWidth(name), percent(name), `${name[0]}\u00ad${name.slice(1)}`],
    ...(name.includes('.') ? [name.replaceAll('.', '。'), name.replaceAll('.', '．')] : []),
  ]),
]

export const METADATA_URLS: readonly string[] = METADATA_HOSTS.flatMap((host) => [
  `http://${host}/latest/meta-data/`,
  `HTTPS://${host}:443`,
  `http://${host}:80/computeMetadata/v1/?recursive=true`,
  `http://user:pw@${host}/`,
  `http:\\\\${host}/`,
])
