// Upstreams put their customer's data into error text: the key they were sent, the organisation behind it, the host
// that failed. Their customer is the operator, not the caller, so none of it may pass.

const LONGEST = 2_000
/** How far before a long token one of SECRET_WORDS makes it a secret: "API key provided: 0f3a...". */
const NEARBY = 40
const SECRET_WORDS = ['key', 'token', 'secret', 'password', 'credential', 'authorization', 'signature']

type Rule = { find: RegExp; put: string | ((match: string, offset: number, text: string) => string) }

// Every expression runs in linear time: a literal or a look-behind decides where a match may begin, and behind it
// stand only classes that exclude the character that follows them. Keep it so: this text is untrusted.
const RULES: Rule[] = [
  // Keys by the prefix their vendor gives them; `*` because vendors half-mask keys themselves and leave both ends.
  {
    find: /(?<![A-Za-z0-9])(?:(?:sk|rk|pk|ak|csk|ark|xai|pplx|nvapi|glpat)-|(?:sk|rk|pk|gsk|hf|r8|fw|tgp|ghp|gho|ghs|github_pat)_|AIza|AKIA|ASIA|ya29\.|AQ\.|eyJ)[A-Za-z0-9_*-]{4,}(?:\.[A-Za-z0-9_-]{8,}){0,4}/g,
    put: '[key]',
  },
  { find: /(?<![A-Za-z0-9])(Bearer|Basic)[ \t:]{1,8}[^\s"',;]{6,}/gi, put: '$1 [key]' },
  { find: /[A-Za-z0-9+/_*.-]{20,}={0,2}/g, put: maskAfterSecretWord },
  { find: /(?<![A-Za-z0-9])(?:org|proj|acct|wrkspc)[-_][A-Za-z0-9_-]{6,}/g, put: '[organisation]' },
  { find: /(?<![A-Za-z0-9])projects\/[A-Za-z0-9_-]+/g, put: 'projects/[organisation]' },
  { find: /:\/\/[^\s/?#"'<>(),`]+/g, put: '://[host]' },
  { find: /(?<![^\s<>()[\]"'`,;:=])[^\s<>()[\]"'`,;:=@]+@[^\s<>()[\]"'`,;:=@]+/g, put: '[email]' },
  { find: /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w)(?::\d{1,5})?/g, put: '[address]' },
  { find: /(?<![\w:])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![\w:])/gi, put: '[address]' },
  {
    find: /(?<![\w:])(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6})?::(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6})?(?![\w:])/gi,
    put: (match) => (match === '::' ? match : '[address]'),
  },
  // Hosts without a scheme: only under endings that no field path or model name has (`messages.0.content`, `gpt-4.1`).
  {
    find: /(?<![\w.-])(?:[\w-]+\.)+(?:com|net|org|io|ai|dev|cloud|internal|local|localdomain|lan|corp|cn|app|co|eu|de|uk|svc)(?![\w-])(?::\d{1,5})?/gi,
    put: '[host]',
  },
  { find: /(?<![\w.-])localhost(?![\w-])(?::\d{1,5})?/gi, put: '[host]' },
]

/** The text with keys, organisation ids, email addresses, hosts and IP addresses masked, and at most 2,000 characters. */
export function maskSecrets(text: string): string {
  let masked = capped(text)
  for (const { find, put } of RULES) {
    masked = typeof put === 'string' ? masked.replace(find, put) : masked.replace(find, put)
  }
  return masked
}

/** Cuts at a space where there is one: half a key at the end would be too short to be known as a key. */
function capped(text: string): string {
  if (text.length <= LONGEST) return text
  const head = text.slice(0, LONGEST)
  const space = head.lastIndexOf(' ')
  return `${space > LONGEST - 200 ? head.slice(0, space) : head.slice(0, LONGEST - 200)} ...`
}

function maskAfterSecretWord(match: string, offset: number, text: string): string {
  const token = match.replace(/\.{1,8}$/, '')
  if (!/[\d*]/.test(token)) return match
  const before = text.slice(Math.max(0, offset - NEARBY), offset).toLowerCase()
  const named = SECRET_WORDS.some((word) => before.includes(word))
  return named ? `[key]${match.slice(token.length)}` : match
}
