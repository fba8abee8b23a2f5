// docs/reference/environment.md
import { CLOUD_VARIABLES } from '@trivium/gateway/config/settings/cloud-variables.ts'
import {
  PROXY_VARIABLES,
  RUNTIME_VARIABLES,
  SECRET_VARIABLES,
  SERVER_VARIABLES,
  VAULT_VARIABLES,
  type VariableText,
} from '@trivium/gateway/config/settings/variables.ts'
import { TRACE_VARIABLES } from '@trivium/gateway/observe/traces/settings.ts'
import { KINDS } from '@trivium/gateway/upstreams/kinds/index.ts'
import type { Generated } from '../generated.ts'
import { code, codes, table, wrapped } from '../markdown.ts'

const file = 'docs/reference/environment.md'

const variables = (all: Readonly<Record<string, VariableText>>, nameOf = code): string =>
  table(
    ['Variable', 'Default', 'Meaning'],
    Object.entries(all).map(([name, { fallback, meaning }]) => [nameOf(name), fallback, meaning]),
  )

const vendors = (): string =>
  table(
    ['Variable', 'Vendor', 'Upstream kind'],
    [...KINDS.values()].flatMap(({ keyVariable, name, kind }) =>
      keyVariable === undefined ? [] : [[code(keyVariable), name, code(kind)]],
    ),
  )

export const ENVIRONMENT_PAGE: readonly Generated[] = [
  { file, section: 'server', text: () => variables(SERVER_VARIABLES) },
  { file, section: 'secrets', text: () => variables(SECRET_VARIABLES, (name) => codes([name, `${name}_FILE`])) },
  { file, section: 'vault', text: () => variables(VAULT_VARIABLES) },
  { file, section: 'vendors', text: vendors },
  { file, section: 'clouds', text: () => variables(CLOUD_VARIABLES) },
  { file, section: 'tracing', text: () => variables(TRACE_VARIABLES) },
  { file, section: 'runtime', text: () => variables(RUNTIME_VARIABLES) },
  {
    file,
    section: 'proxies',
    text: () =>
      wrapped(`${codes(PROXY_VARIABLES)} are removed at the start: set \`proxy\` of an upstream in the configuration. \
The file may refer to them, such as \`"\${HTTPS_PROXY}"\`.`),
  },
]
