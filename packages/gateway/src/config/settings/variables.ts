// Every environment variable of a server and its commands, with its default and meaning. What reads the environment takes its names from
// here, and so does docs/reference/environment.md; variables of vendors' keys are in the kinds of upstreams.
import { TRACE_VARIABLES } from '../../observe/traces/settings.ts'

/** In Markdown, as the reference shows it. */
export type VariableText = { fallback: string; meaning: string }

/** A secret may come from the file that the same name with `_FILE` gives: containers get secrets as files. */
export const SECRET_VARIABLES = {
  DATABASE_URL: {
    fallback: 'none: SQLite in `TRIVIUM_DATA`',
    meaning: 'a PostgreSQL URL, `postgres://...`; several gateways can share the database',
  },
  TRIVIUM_SECRET: {
    fallback: 'created in `TRIVIUM_DATA`',
    meaning: 'the master secret, at least 16 characters; required with `DATABASE_URL`, and the same on every machine',
  },
  TRIVIUM_SECRET_OLD: {
    fallback: 'none',
    meaning: 'the secret that `TRIVIUM_SECRET` replaces, accepted as well',
  },
} as const satisfies Record<string, VariableText>

export const SERVER_VARIABLES = {
  HOST: { fallback: '`127.0.0.1`', meaning: 'the address to listen on; `0.0.0.0` for all' },
  PORT: { fallback: '`3333`', meaning: 'the port to listen on, up to 65535; `0` takes a free one' },
  TRIVIUM_DATA: {
    fallback: '`./data`',
    meaning: 'the data folder: database, journal, master secret, stored images and videos',
  },
  TRIVIUM_CONFIG: { fallback: '`./trivium.yaml`, if it exists', meaning: 'the configuration file' },
  TRIVIUM_WORKERS: {
    fallback: '`1`',
    meaning: 'processes that share the port, up to 1024; more than 1 needs `DATABASE_URL` and Linux',
  },
  TRIVIUM_LOG: {
    fallback: '`requests`',
    meaning: '`requests`: events and one line per request; `errors`: events only; `off`',
  },
  TRIVIUM_LOG_FORMAT: { fallback: '`text` on a terminal, else `json`', meaning: '`text` or `json`' },
  TRIVIUM_LOG_FILE: {
    fallback: 'none: standard error',
    meaning: 'a file that log lines are appended to, reopened on `SIGHUP`',
  },
} as const satisfies Record<string, VariableText>

/** As the command `vault` names them, which programs for credentials may call. The section `secrets` of the file comes before them. */
export const VAULT_VARIABLES = {
  VAULT_ADDR: { fallback: 'none', meaning: 'where Vault or OpenBao is, such as `https://vault.example.com:8200`' },
  VAULT_TOKEN: { fallback: 'none', meaning: 'a token for it, if the file has no login' },
  VAULT_NAMESPACE: { fallback: 'none', meaning: 'the namespace, if there are any' },
  VAULT_CACERT: { fallback: 'none', meaning: 'a PEM file with the authorities that sign its certificate' },
} as const satisfies Record<string, VariableText>

/** Read by the runtime or the launcher, or removed at the start. */
export const RUNTIME_VARIABLES = {
  NODE_EXTRA_CA_CERTS: {
    fallback: 'none',
    meaning:
      'a PEM file with private certificate authorities, trusted in addition to the public ones in calls to upstreams',
  },
  BUN_CONFIG_MAX_HTTP_REQUESTS: { fallback: '`65000`', meaning: 'set by the launcher: leave it alone' },
  MIMALLOC_PURGE_HOLES: { fallback: '`0`', meaning: 'set by the launcher: leave it alone' },
  TRIVIUM_LAUNCHER_FD: { fallback: 'none', meaning: 'set by the launcher for the server: leave it alone' },
  TRIVIUM_WORKER: { fallback: 'none', meaning: 'set by the parent for each worker: leave it alone' },
} as const satisfies Record<string, VariableText>

/** Removed at the start, because the HTTP client of the runtime would use them: only the configuration names proxies. */
export const PROXY_VARIABLES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']

export type SecretVariable = keyof typeof SECRET_VARIABLES
export type VaultVariable = keyof typeof VAULT_VARIABLES
type TraceVariable = keyof typeof TRACE_VARIABLES
export type VariableName = SecretVariable | `${SecretVariable}_FILE` | keyof typeof SERVER_VARIABLES | TraceVariable

/** All that configure the gateway, vendors' keys aside. */
export const OWN_VARIABLES: readonly string[] = [
  ...Object.keys(SERVER_VARIABLES),
  ...Object.keys(SECRET_VARIABLES).flatMap((name) => [name, `${name}_FILE`]),
  ...Object.keys(TRACE_VARIABLES),
]
